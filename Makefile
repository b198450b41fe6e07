# make run    start the station              make test   all checks and tests
# make setup  only make the environment      make lint   style, types, import contract
# make bench  figures for this machine       make fuzz   firmware, arm links, messages and files
# make wheel  a wheel with compiled kernels  make soak   ten minutes of the full bench (SECONDS=60: shorter)
# (each does all set-up by itself, once)

ARGS ?=
SECONDS ?= 600
VENV := .venv/bin
# Bytecode is kept whatever the environment says: without it each of the many processes of a test compiles all modules.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run test setup lint bench docs fuzz soak wheel

run: .venv/.ready-run
	@$(VENV)/station $(ARGS)

test: lint
	@$(VENV)/python -m pytest -n auto $(ARGS)

setup: .venv/.ready-dev

lint: .venv/.ready-dev
	@$(VENV)/ruff format --check --quiet . || { echo "lint: format it with: $(VENV)/ruff format ." >&2; exit 1; }
	@$(VENV)/ruff check --quiet .
	@$(VENV)/mypy --no-error-summary
	@$(VENV)/lint-imports --no-logo > .venv/lint-imports.log || { cat .venv/lint-imports.log; exit 1; }

bench: .venv/.ready-dev
	@$(VENV)/python -m benchmarks $(or $(ARGS),all)

fuzz: .venv/.ready-dev
	@FUZZ_SECONDS=60 $(VENV)/python -m pytest tests/firmware/test_fuzz.py
	@FUZZ_MESSAGES=100000 $(VENV)/python -m pytest tests/controllers/test_fuzz.py tests/dynamixel/test_fuzz.py tests/ur/test_fuzz.py \
		tests/tasks/execute/test_ahead_fuzz.py tests/test_json_reader.py
	@FUZZ_FILES=20000 $(VENV)/python -m pytest tests/mad/test_mutants.py

soak: .venv/.ready-dev
	@$(VENV)/python -m benchmarks.soak --seconds $(SECONDS) $(ARGS)

wheel: .venv/.ready-run
	@.ci/wheel

docs: .venv/.ready-dev
	@$(VENV)/python -m station.mad.manual docs/mad.md
	@$(VENV)/python -m station.devices.mapping.manual
	@$(VENV)/python -m station.servo.shared.manual docs/shared_state.md
	@$(VENV)/python -m station.tasks.recording.manual docs/recording.md
	@$(VENV)/python -m station.haptics.manual docs/haptics.md
	@$(VENV)/python -m station.run.pictures docs/pictures
	@$(VENV)/python -m station.run.task_pictures docs/pictures
	@$(VENV)/python -m station.view.pictures
	@$(VENV)/python -m station.controllers.supervisor.manual
	@$(VENV)/python -m station.bilateral.manual
	@$(VENV)/python -m firmware_bridge.arm.manual docs/protocol_arm.md
	@$(VENV)/python -m calibration.pictures docs/pictures

.venv/.ready-run: pyproject.toml .ci/setup
	@.ci/setup run

.venv/.ready-dev: .venv/.ready-run
	@.ci/setup dev
