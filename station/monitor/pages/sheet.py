"""Style sheet of the page. The dark side re-colours what plots are drawn with on the light one."""

from __future__ import annotations

from station.monitor.pages.style import GRID, INK, MUTED, TOTAL

SHEET = f"""
:root {{ color-scheme: light dark; --ink: {INK}; --muted: {MUTED}; --line: {GRID}; --paper: #ffffff; --page: #f6f7f8 }}
body {{ margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI",
  "Noto Sans", "DejaVu Sans", sans-serif }}
main {{ max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 3rem }}
h1 {{ font-size: 1.7rem; font-weight: 650; margin: 0 }}
h2 {{ font-size: 1.05rem; font-weight: 650; margin: 0 0 .2rem }}
.sub {{ color: var(--muted); margin: .3rem 0 1.4rem }}
.emulated {{ background: #d7a520; color: #111; padding: .05rem .45rem; border-radius: .25rem; font-size: .8rem }}
.tiles {{ display: flex; flex-wrap: wrap; gap: .6rem; margin: 0 0 1.4rem }}
.tiles div {{ flex: 1 1 6.6rem; background: var(--paper); border: 1px solid var(--line); border-radius: .5rem;
  padding: .6rem .8rem; color: var(--muted) }}
.tiles b {{ font-size: 1.35rem; font-weight: 650; color: var(--ink); font-variant-numeric: tabular-nums }}
.tiles small {{ display: block; font-size: .78rem }}
table {{ border-collapse: collapse; width: 100%; margin: 0 0 1.6rem; font-size: .9rem }}
th {{ text-align: left; font-weight: 500; color: var(--muted); padding: .22rem 1rem .22rem 0; vertical-align: top }}
td {{ padding: .22rem 1rem .22rem 0; vertical-align: top }}
tr {{ border-bottom: 1px solid var(--line) }}
.facts th {{ width: 6.5rem }}
.number {{ font-variant-numeric: tabular-nums; white-space: nowrap; width: 5rem }}
figure {{ margin: 0 0 1.2rem; padding: 1rem 1.1rem .7rem; background: var(--paper); border: 1px solid var(--line);
  border-radius: .5rem; break-inside: avoid }}
figcaption {{ color: var(--muted); font-size: .85rem; margin-bottom: .4rem }}
svg {{ width: 100%; height: auto; display: block }}
.empty {{ font-size: 1.1rem }}
details {{ color: var(--muted) }}
@media (prefers-color-scheme: dark) {{
  :root {{ --ink: #dfe3e8; --muted: #98a1ab; --line: #30363d; --paper: #161b22; --page: #0d1117 }}
  svg [style*="fill: {INK}"] {{ fill: #dfe3e8 !important }}
  svg [style*="fill: {MUTED}"] {{ fill: #98a1ab !important }}
  svg [style*="stroke: {GRID}"] {{ stroke: #2b3138 !important }}
  svg [style*="stroke: {INK}"] {{ stroke: #dfe3e8 !important }}
  svg [style*="stroke: {MUTED}"] {{ stroke: #6b747e !important }}
  svg [style*="fill: #eef0f2"], svg [style*="fill: #eaf1f8"] {{ fill: #1d2733 !important }}
  svg [style*="fill: #fbf3dc"] {{ fill: #332b14 !important }}
  svg [style*="fill: #f9e1de"] {{ fill: #3d1d1a !important }}
  svg [style*="fill: {TOTAL}"] {{ fill: #333b45 !important }}
}}
@media print {{
  body {{ background: none; font-size: 10pt }}
  main {{ max-width: none; padding: 0 }}
  figure {{ border: none; padding: 0 }}
}}
"""
