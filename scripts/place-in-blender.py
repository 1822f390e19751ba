"""Places the clips of a timeline (--format json) as strips of Blender's sequencer, which has no importer of cut lists.

    blender --python place-in-blender.py -- cut.timeline.json
"""

import json
import sys
from urllib.parse import unquote, urlsplit

import bpy

with open(sys.argv[sys.argv.index("--") + 1], encoding="utf-8") as file:
    timeline = json.load(file)
sources = {source["id"]: source for source in timeline["sources"]}
scene = bpy.context.scene
rate = timeline["rate"]
# Blender divides a whole number by a base.
scene.render.fps = round(rate["num"] / rate["den"])
scene.render.fps_base = scene.render.fps * rate["den"] / rate["num"]
scene.render.resolution_x, scene.render.resolution_y = timeline["widthPx"], timeline["heightPx"]
scene.render.resolution_percentage = 100
scene.view_settings.view_transform = "Standard"
scene.sequence_editor_create()
window = bpy.context.window_manager.windows[0]
area = window.screen.areas[0]
area.type = "SEQUENCE_EDITOR"
for clip in timeline["clips"]:
    if clip.get("enabled") is False:
        continue
    source = sources[clip["source"]]
    first = clip["recordIn"] + 1
    # Where the clip begins in its source, in frames of the timeline.
    before = clip["in"] * rate["num"] * source["rate"]["den"] / (rate["den"] * source["rate"]["num"])
    known = set(scene.sequence_editor.sequences)
    with bpy.context.temp_override(window=window, area=area, region=area.regions[-1]):
        bpy.ops.sequencer.movie_strip_add(
            filepath=unquote(urlsplit(source["url"]).path),
            frame_start=first - round(before),
            channel=1,
            sound=len(source["audio"]) > 0,
            use_framerate=False,
            adjust_playback_rate=True,
            overlap=True,
        )
    for strip in set(scene.sequence_editor.sequences) - known:
        strip.frame_offset_start = round(before)
        strip.frame_final_end = clip["recordOut"] + 1
    if clip["reason"]:
        scene.timeline_markers.new(clip["reason"], frame=first)
scene.frame_start, scene.frame_end = 1, timeline["clips"][-1]["recordOut"]
