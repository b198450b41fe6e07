"""The programs that run on the graphics card (GLSL 1.20: any desktop OpenGL since 2006, and Mesa in software)."""

LINK_TEXELS = 5  # per link: three rows of its pose, colour of its mark, opacity

ROBOT_VERTEX = """
#version 120
// Light is worked out at the corners: directions to the lights are the same everywhere, and in software
// a pixel costs ten times a corner.
attribute vec3 a_position;
attribute vec3 a_normal;
attribute vec4 a_colour;
attribute vec2 a_rows;        // the link that moves this corner, the link that it belongs to
uniform sampler2D u_links;
uniform float u_link_count;
uniform mat4 u_view_projection;
uniform vec4 u_flat;          // (floor height, 1: draw the shadow on the floor, push back in depth, -)
uniform vec4 u_eye;           // place of the eye, 1; or direction to it, 0
uniform vec3 u_key;           // direction to the light over the shoulder
uniform vec3 u_fill;          // direction to the light on the other side
uniform vec3 u_light;         // strength of: all around, key, fill
uniform vec4 u_paint;         // colour of ghost or shadow
uniform float u_style;        // 0 solid, 1 glass, 2 one colour, 3 wire, 4 what is translucent of a solid one
varying vec4 v_colour;

vec4 link(float row, float column) {
    return texture2D(u_links, vec2((column + 0.5) / 5.0, (row + 0.5) / u_link_count));
}

vec4 lit(vec3 place, vec3 normal, vec4 mark) {
    vec3 to_eye = normalize(u_eye.xyz - u_eye.w * place);
    float facing = dot(normal, to_eye);
    normal *= sign(facing);   // the back of a surface without inside
    facing = abs(facing);
    float key = max(dot(normal, u_key), 0.0), fill = max(dot(normal, u_fill), 0.0);
    float strength = u_light.x * (0.78 + 0.22 * normal.z) + u_light.y * key + u_light.z * fill;
    if (u_style < 0.5 || u_style > 3.5) {
        float gloss = max(dot(normal, normalize(u_key + to_eye)), 0.0);
        gloss *= gloss; gloss *= gloss; gloss *= gloss; gloss *= gloss;
        return vec4(mix(a_colour.rgb, mark.rgb, mark.a) * strength + 0.10 * gloss, a_colour.a);
    }
    vec3 tinted = mix(u_paint.rgb * (0.6 + 0.4 * key), mark.rgb * strength, 0.85 * mark.a);
    float rim = 1.0 - facing; // glass is clear where one looks straight at it, dense at its outline
    return vec4(tinted, u_style < 1.5 ? min(u_paint.a * (0.55 + 1.6 * rim * rim), 1.0) : min(1.7 * u_paint.a, 1.0));
}

void main() {
    vec4 place = vec4(a_position, 1.0), x = link(a_rows.x, 0.0), y = link(a_rows.x, 1.0), z = link(a_rows.x, 2.0);
    vec3 at = vec3(dot(x, place), dot(y, place), dot(z, place));
    if (u_style > 1.5 && u_style < 2.5) {
        v_colour = u_paint;
        at.z = mix(at.z, u_flat.x, u_flat.y);
    } else {
        vec3 normal = vec3(dot(x.xyz, a_normal), dot(y.xyz, a_normal), dot(z.xyz, a_normal));
        v_colour = lit(at, normal, link(a_rows.y, 3.0));
    }
    gl_Position = u_view_projection * vec4(at, 1.0);
    gl_Position.z += u_flat.z * gl_Position.w;
    if (u_style < 0.5 || u_style > 3.5) {
        v_colour.a *= link(a_rows.y, 4.0).x;
        // A link is drawn either with the solid ones or after them.
        if ((v_colour.a < 0.995) != (u_style > 3.5)) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    }
}
"""

ROBOT_FRAGMENT = """
#version 120
varying vec4 v_colour;

void main() {
    gl_FragColor = v_colour;
}
"""

SEGMENT_VERTEX = """
#version 120
attribute vec3 a_start;
attribute vec3 a_end;
attribute vec4 a_colour;
attribute vec3 a_corner;      // which end (0, 1), which side (-1, 1), width [px]
uniform mat4 u_view_projection;
uniform vec2 u_viewport;      // [px]
uniform vec4 u_fade;          // centre, and radius at which nothing is left
uniform float u_scale;        // of widths
varying vec4 v_colour;
varying float v_across;       // [px]
varying float v_half;         // [px]

void main() {
    vec4 a = u_view_projection * vec4(a_start, 1.0), b = u_view_projection * vec4(a_end, 1.0);
    float least = 1e-3 * max(abs(a.w), abs(b.w));
    if (a.w < least && b.w >= least) a = mix(a, b, (least - a.w) / (b.w - a.w));
    if (b.w < least && a.w >= least) b = mix(b, a, (least - b.w) / (a.w - b.w));
    vec2 way = (b.xy / b.w - a.xy / a.w) * u_viewport;
    way = length(way) > 1e-6 ? normalize(way) : vec2(1.0, 0.0);
    v_half = 0.5 * max(a_corner.z * u_scale, 1.0);
    vec2 out_px = vec2(-way.y, way.x) * a_corner.y * (v_half + 0.75);
    vec4 at = a_corner.x < 0.5 ? a : b;
    at.xy += 2.0 * out_px / u_viewport * at.w;
    gl_Position = (a.w < least && b.w < least) ? vec4(2.0, 2.0, 2.0, 1.0) : at;
    v_across = a_corner.y * (v_half + 0.75);
    vec3 place = a_corner.x < 0.5 ? a_start : a_end;
    v_colour = a_colour;
    v_colour.a *= 1.0 - smoothstep(0.55, 1.0, length(place - u_fade.xyz) / u_fade.w);
}
"""

SEGMENT_FRAGMENT = """
#version 120
varying vec4 v_colour;
varying float v_across;
varying float v_half;

void main() {
    gl_FragColor = vec4(v_colour.rgb, v_colour.a * clamp(v_half + 0.5 - abs(v_across), 0.0, 1.0));
}
"""

TEXT_VERTEX = """
#version 120
attribute vec2 a_place;       // [device px] from the top left
attribute vec2 a_uv;
attribute vec4 a_colour;
uniform vec2 u_viewport;
varying vec2 v_uv;
varying vec4 v_colour;

void main() {
    gl_Position = vec4(2.0 * a_place.x / u_viewport.x - 1.0, 1.0 - 2.0 * a_place.y / u_viewport.y, 0.0, 1.0);
    v_uv = a_uv;
    v_colour = a_colour;
}
"""

TEXT_FRAGMENT = """
#version 120
uniform sampler2D u_letters;
varying vec2 v_uv;
varying vec4 v_colour;

void main() {
    gl_FragColor = vec4(v_colour.rgb, v_colour.a * texture2D(u_letters, v_uv).r);
}
"""

POINT_VERTEX = """
#version 120
attribute vec3 a_place;
attribute vec4 a_colour;
uniform mat4 u_view_projection;
uniform float u_size;         // [device px]
varying vec4 v_colour;

void main() {
    gl_Position = u_view_projection * vec4(a_place, 1.0);
    gl_PointSize = u_size;
    v_colour = a_colour;
}
"""

POINT_FRAGMENT = """
#version 120
varying vec4 v_colour;

void main() {
    vec2 from_middle = gl_PointCoord - vec2(0.5);
    if (dot(from_middle, from_middle) > 0.25) discard;
    gl_FragColor = v_colour;
}
"""
