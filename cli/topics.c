// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Texts of `souple help TOPIC`. Those that depend on tables of the program are printed from them.

#include "topics.h"

#include "commands.h"
#include "souple/scene.h"
#include "tools.h"
#include "usage.h"

#include <stddef.h>
#include <stdio.h>

const char g_overviewText[] =
    "souple simulates soft bodies in real time: it plays scene files, records them, shows them in a browser, "
    "makes pictures, films, tables and meshes from recordings, and measures how good and how fast it is.";

static void spWriteToScreen(const char* text, size_t size, void* context)
{
    fwrite(text, 1, size, context);
}

static void spTellSceneFormat(bool markdown)
{
    spWriteSceneReference(spWriteToScreen, stdout, markdown);
}

static void spTellMaterials(bool markdown)
{
    (void)markdown;
    char* arguments[] = {"materials", NULL};
    spRunMaterials(1, arguments);
}

static void spTellExitCodes(bool markdown)
{
    (void)markdown;
    fputs("  0    fine\n  1    the command ran and reports trouble:\n", stdout);
    spTellAllUsages("trouble");
    fputs("  2    bad usage or bad input: an unknown option, a wrong scene, a file that cannot\n"
          "       be read or written, a full disk\n"
          "  127  bench, reproduce, validate: souple-lab, which runs them, is not installed\n"
          "  130  interrupted by Ctrl-C; what was recorded by then is kept\n",
          stdout);
}

static void spTellFlags(bool markdown)
{
    (void)markdown;
    for (int i = 0; i < SP_FLAG_WORD_COUNT; ++i)
    {
        printf("  %-14s  ", g_flagWords[i].name);
        spPrintFilled(g_flagWords[i].meaning, 18);
    }
}

static const char* const s_sceneExamples[] = {
    "souple check scenes/demo.json",
    "souple run scenes/demo.json --duration 1",
    NULL,
};

static const char* const s_unitExamples[] = {
    "souple run scenes/demo.json --duration 0.5 --dt 0.005",
    "souple mesh make ball --radius 0.3 -o ball.vtu",
    NULL,
};

static const char* const s_materialExamples[] = {"souple materials --json",
                                                 "souple check scenes/tet_beam.json", NULL};

static const char* const s_exitExamples[] = {
    "souple check scenes/demo.json && souple run scenes/demo.json",
    "souple mesh info liver.msh > liver.txt || echo 'not fit to simulate'",
    NULL,
};

static const char* const s_meshExamples[] = {
    "souple mesh info liver.msh",
    "souple mesh convert liver.msh liver.vtu",
    "souple mesh convert part.stl part.obj --scale 0.001",
    "souple mesh repair scan.stl scan.ply --merge 1e-5 --holes 20",
    NULL,
};

static const char* const s_methodExamples[] = {
    "souple compare scenes/tet_beam.json --methods symplecticEuler,bdf2,xpbd",
    "souple run scenes/implicit_beam.json",
    NULL,
};

static const char* const s_contactExamples[] = {
    "souple run scenes/demo.json --out out/demo --export csv,svg",
    "souple view scenes/demo.json",
    NULL,
};

static const char* const s_actExamples[] = {
    "souple view scenes/demo.json",
    "souple replay out/demo/demo.souple",
    NULL,
};

static const char* const s_recordingExamples[] = {
    "souple run scenes/demo.json --out out/demo",
    "souple export out/demo/demo.souple --to png,csv --out out/demo --stride 30",
    "souple report out/demo/demo.souple",
    "souple view out/demo/demo.souple",
    NULL,
};

static const char* const s_realTimeExamples[] = {
    "souple run scenes/implicit_beam.json --live --duration 1",
    "souple run scenes/implicit_beam.json --live --budget 5 --duration 1 --out out/live",
    "souple view scenes/demo.json --budget 10",
    NULL,
};

static const char* const s_determinismExamples[] = {
    "souple run scenes/demo.json --steps 50 --threads 2 --lanes 1 --json",
    "souple replay out/demo/demo.souple --threads 2",
    NULL,
};

static const char* const s_environmentExamples[] = {
    "TMPDIR=. souple export out/demo/demo.souple --to csv --out out/demo",
    "OPENBLAS_NUM_THREADS=1 souple run scenes/implicit_beam.json --steps 10",
    NULL,
};

static const char* const s_errorExamples[] = {
    "souple check scenes/demo.json --json",
    "souple doctor",
    NULL,
};

static const spTopic s_topics[] = {
    {
        .name = "scene-format",
        .summary = "every key of a scene file; --markdown prints docs/scene_format.md",
        .tell = spTellSceneFormat,
        .examples = s_sceneExamples,
        .isLong = true,
    },
    {
        .name = "units",
        .summary = "what numbers mean",
        .text = "Units are SI everywhere: in scene files, on the command line, in recordings and in the "
                "library.\n"
                "\n"
                "  length     m        mass     kg       time       s\n"
                "  force      N        energy   J        frequency  Hz\n"
                "  pressure   Pa       density  kg/m^3 (kg/m^2 for a sheet)\n"
                "  stiffness  N/m      damping  N s/m    drag       kg/s\n"
                "  angle      degrees in scene files, radians in the library\n"
                "\n"
                "Milliseconds are the exception: costs and budgets of a step are told and given in them.\n"
                "\n"
                "y is up. A body in the xy plane (disc) has area m^2 and pressure N/m, per metre of depth.",
        .examples = s_unitExamples,
    },
    {
        .name = "materials",
        .summary = "materials by name",
        .tell = spTellMaterials,
        .examples = s_materialExamples,
        .isLong = true,
    },
    {
        .name = "meshes",
        .summary = "formats of mesh files, and what makes a mesh fit to simulate",
        .text =
            "Scenes take meshes from files, \"mesh\": \"liver.vtu\", or make them: \"mesh\": {\"generator\": "
            "\"ball\"}. The content of a file decides on its format where it has a mark, else the "
            "ending:\n"
            "\n"
            "  read and written  .vtu .vtk (VTK)  .msh (Gmsh)  .mesh .meshb (Medit)\n"
            "                    .inp (Abaqus)  .obj  .stl  .ply  .off\n"
            "  read              .veg (Vega)  .node .ele .face (TetGen)\n"
            "\n"
            "Regions and values of vertices, triangles and tets go along where the format can hold them. "
            "Cells that are no tets (hexahedra, prisms) are counted and left out.\n"
            "\n"
            "A solid is fit to simulate when no tet is inverted, flat or doubled, a surface when no triangle "
            "is without area and no edge has more than two. 'souple mesh info' tells, 'souple mesh "
            "repair' mends. Coordinates are metres: --scale 0.001 for a file in millimetres. "
            "docs/meshes.md has the whole table. 'souple mesh fill' makes a solid of a surface; in a scene "
            "\"mesh\": {\"fill\": \"cow.obj\"} does.",
        .examples = s_meshExamples,
    },
    {
        .name = "methods",
        .summary = "how bodies move in time, and which method to choose",
        .text =
            "A body has one method. Scenes name it, \"method\": \"bdf2\", or give its numbers too: "
            "\"method\": {\"type\": \"xpbd\", \"xpbd\": {\"iterations\": 20}}.\n"
            "\n"
            "  auto             the default: symplecticEuler, backwardEuler or xpbd; 'souple run' says why\n"
            "  symplecticEuler  cheap substeps, as many as are stable; soft bodies\n"
            "  verlet           the same, second order: motion without damping\n"
            "  rungeKutta4      fourth order, four evaluations: accuracy, references\n"
            "  forwardEuler     gains energy at any step: for comparison only\n"
            "  localImplicit    brakes all motion: stiff bodies that only hang or rest\n"
            "  backwardEuler    implicit, any step is stable, loses energy: stiff bodies\n"
            "  bdf2             implicit, second order, loses far less: stiff bodies that swing\n"
            "  imex             implicit with one matrix for ever, cheap; free bodies stop turning\n"
            "  quasiStatic      equilibrium in every step: no inertia at all\n"
            "  xpbd             sweeps over constraints: a fixed cost, whatever the stiffness\n"
            "  rigid            a rigid body: no shape to solve for; a pin is a ball joint, two a hinge\n"
            "  multiresolution  explicit, each region by the one of several meshes that it needs\n"
            "\n"
            "A hundred times the stiffness costs explicit methods ten times the substeps; implicit ones "
            "and xpbd pay nothing for it. 'souple compare' tells what each costs on your own scene and "
            "how far it is from the truth. docs/methods.md, docs/implicit.md and docs/xpbd.md say more.",
        .examples = s_methodExamples,
    },
    {
        .name = "contact",
        .summary = "colliders, friction, restitution, pins and attachments",
        .text =
            "Nodes of bodies touch colliders: planes, spheres, capsules, boxes, "
            "cylinders, meshes, convex hulls, height and distance fields, fixed or moved by "
            "keyframes. Bodies with a surface touch each other; \"selfContact\" lets one touch itself.\n"
            "\n"
            "  \"colliders\": [{\"shape\": \"plane\", \"friction\": 0.5, \"restitution\": 0.3}]\n"
            "  \"pins\"         nodes that stay where they are\n"
            "  \"attachments\"  nodes held to space, to a collider or to another body\n"
            "\n"
            "Friction of a body and a collider is the geometric mean of both, restitution the larger one. "
            "A node touches at its \"contactRadius\": a collider thinner than the distance of nodes can "
            "slip through a surface. \"measurements\" record force and torque between any two things, number "
            "of contacts, largest pressure, depth and slip; \"output\": {\"contacts\": true} keeps all "
            "contacts, "
            "and --colour pressure shows where they press. \"group\" and \"touches\" say who touches whom. "
            "'souple help scene-format' has the keys, docs/contact.md the laws.",
        .examples = s_contactExamples,
    },
    {
        .name = "acts",
        .summary = "events of scenes, and what a hand does while one runs",
        .text =
            "An event of a scene happens at its time. The same object without a time is an act: what a "
            "hand in the browser or a program does while the scene runs.\n"
            "\n"
            "  {\"time\": 0.5, \"type\": \"grab\", \"name\": \"hand\", \"body\": \"ball\", \"nodes\": 12}\n"
            "  {\"time\": 0.5, \"type\": \"move\", \"grab\": \"hand\", \"offset\": [0, 1, 0], \"duration\": "
            "1}\n"
            "  {\"time\": 2.0, \"type\": \"release\", \"grab\": \"hand\"}\n"
            "\n"
            "  grab move release   hold nodes, move them, let go\n"
            "  poke lift           push with a sphere, take it away\n"
            "  pin free force      fix nodes, free them, pull at them\n"
            "  drive               move a collider to a place, or at a velocity\n"
            "  set                 change materials, gravity, the time step, the method\n"
            "  save restore        keep a state, bring it back\n"
            "\n"
            "Recordings keep acts, and 'souple replay' carries them out again. docs/acts.md says more.",
        .examples = s_actExamples,
    },
    {
        .name = "recordings",
        .summary = "what a recording holds, and what can be made from it",
        .text = "A recording (.souple) is all that a run left: the scene, frames with the positions of all "
                "nodes, time, flags and measurements of every step, what hands did and what the clock "
                "decided. 'souple run --out DIR' and 'souple view' write one. Everything else is made from "
                "it, at any later time:\n"
                "\n"
                "  souple export  pictures, a film, tables, plots, meshes for ParaView\n"
                "  souple report  one HTML file with the animation in 3D, to be mailed\n"
                "  souple view    the same in the browser\n"
                "  souple replay  the same run again, every bit compared\n"
                "\n"
                "A file that was cut off, by a full disk or a killed program, is read up to the cut. "
                "docs/recording.md has the format.",
        .examples = s_recordingExamples,
    },
    {
        .name = "real-time",
        .summary = "runs that keep to the wall clock, and budgets of a step",
        .text =
            "'souple run' takes the time that it needs. With --live it keeps to the wall clock, and each "
            "step gets a budget, by default its own time step. A step that would take longer stops its "
            "solvers with their best result; when even that does not fit it covers less time: slow "
            "motion instead of instability. How it went is told at the end.\n"
            "\n"
            "  --live        of run: keep to the wall clock\n"
            "  --budget=MS   of run --live and view: milliseconds that a step may take\n"
            "\n"
            "What fits better: a larger time step with an implicit method, or xpbd, whose sweeps cost the "
            "same in every step; fewer nodes; more threads. What the clock decided is in the recording, "
            "so that 'souple replay' repeats a live run bit for bit. docs/step.md says how budgets are "
            "spent.",
        .examples = s_realTimeExamples,
    },
    {
        .name = "determinism",
        .summary = "the same bits again: threads, lanes, replay",
        .text =
            "The same scene gives the same bits with any number of threads and any width of the kernels. "
            "'souple run --json' prints a hash of the state at the end, \"stateHash\": two equal hashes are "
            "the same state. Builds in float and in double give other bits, and so may "
            "another compiler or another version.\n"
            "\n"
            "A recording holds all that a run depended on: the scene, how it was played, what hands did, "
            "and what the clock decided in a live run. 'souple replay' plays it again and names the "
            "first frame that differs. Mesh files are not in it: they must still be there, or --folder "
            "says where they are now.",
        .examples = s_determinismExamples,
    },
    {
        .name = "environment",
        .summary = "variables and files that souple looks at",
        .text = "  PATH       where ffmpeg (films), ccx (souple validate), xdg-open (souple view) and\n"
                "             souple-lab, unless it lies with souple, are looked for\n"
                "  TMPDIR     folder for files that live for a moment; the system's without it\n"
                "  DISPLAY, WAYLAND_DISPLAY\n"
                "             one of them must be set for souple view to open a browser\n"
                "  OPENBLAS_NUM_THREADS\n"
                "             1 keeps a BLAS that runs threads of its own from giving other bits\n"
                "\n"
                "souple has no settings file and writes only where it is told to. 'souple view' records to "
                "out/view below the folder that it runs in, unless --record or --no-record is said; 'souple "
                "reproduce' writes to out/reproduce, unless --out is.",
        .examples = s_environmentExamples,
        .section = "ENVIRONMENT",
    },
    {
        .name = "errors",
        .summary = "what messages mean, and how to report a bug",
        .text =
            "What is wrong in a file is told as file:line:column: message, all of it at once, with the "
            "nearest known word for one that is unknown. A report of a bug has the scene, what 'souple "
            "doctor' prints, and the recording: 'souple replay' shows elsewhere what happened here.\n"
            "\n"
            "Against \"unstable\" and \"nonFinite\" help a smaller dt, more substeps or an implicit method; "
            "against \"notConverged\" a smaller dt; against \"deadlineMissed\" a larger budget ('souple help "
            "real-time'). Words of the status at the end of a run:\n"
            "\n",
        .tell = spTellFlags,
        .examples = s_errorExamples,
    },
    {
        .name = "exit-codes",
        .summary = "what the exit code says",
        .tell = spTellExitCodes,
        .examples = s_exitExamples,
        .section = "\"EXIT STATUS\"",
    },
};

const spTopic* spGetTopics(int* count)
{
    *count = (int)(sizeof(s_topics) / sizeof(s_topics[0]));
    return s_topics;
}
