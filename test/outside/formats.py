# SPDX-FileCopyrightText: 2026 The Souple authors
# SPDX-License-Identifier: MIT
"""Programs that nobody here wrote open what we write, and we open what they write.

usage: formats.py SOUPLE FOLDER
Exit code 77: meshio or Gmsh is not installed, so nothing was tested.
"""

import json
import os
import shutil
import subprocess
import sys
import warnings

warnings.filterwarnings("ignore")
try:
    import meshio
    import numpy
except ImportError:
    print("meshio is not installed (Debian: python3-meshio)")
    sys.exit(77)

souple, folder = sys.argv[1], sys.argv[2]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.chdir(folder)
failures = 0


def check(good, what):
    global failures
    if not good:
        failures += 1
    print(("  " if good else "FAILED ") + what)


def run(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, errors="replace", timeout=120)
    return done.returncode, done.stdout + done.stderr


def info(path):
    code, text = run(souple, "mesh", "info", path, "--json")
    return json.loads(text) if text.startswith("{") else {"error": text}


def volume(mesh):
    """Of the tets, or enclosed by the triangles."""
    total = 0.0
    points = numpy.asarray(mesh.points, dtype=float)
    kinds = {block.type for block in mesh.cells}
    for block in mesh.cells:
        corners = points[block.data]
        if block.type == "tetra":
            sides = corners[:, 1:] - corners[:, :1]
            total += numpy.linalg.det(sides).sum() / 6.0
        elif block.type == "triangle" and "tetra" not in kinds:
            total += numpy.einsum("ij,ij->i", corners[:, 0], numpy.cross(corners[:, 1], corners[:, 2])).sum() / 6.0
    return total


def count(mesh, kind):
    return sum(len(block.data) for block in mesh.cells if block.type == kind)


run(souple, "mesh", "make", "ball", "--radius", "0.5", "--resolution", "4", "-o", "plain.vtu")
run(souple, "mesh", "convert", "plain.vtu", "ball.vtu", "--radius", "0.2", "--region", "7")
ball = info("ball.vtu")
check("error" not in ball and ball["tets"] > 100, "a ball of %s tets" % ball.get("tets"))

# What we write
forms = {"vtu": "vtu", "vtu-ascii": "vtu", "vtk": "vtk", "vtk-ascii": "vtk", "msh": "msh", "msh-binary": "msh",
         "msh22": "msh", "msh22-binary": "msh", "mesh": "mesh", "meshb": "meshb",
         "inp": "inp", "obj": "obj", "stl": "stl", "stl-ascii": "stl", "ply": "ply", "ply-ascii": "ply", "off": "off"}
for name, ending in forms.items():
    path = "ours_%s.%s" % (name, ending)
    code, text = run(souple, "mesh", "convert", "ball.vtu", path, "--format", name)
    try:
        mesh = meshio.read(path)
        solid = name.split("-")[0] not in ("obj", "stl", "ply", "off")
        right = abs(volume(mesh) / ball["volume"] - 1.0) < 1e-6
        right = right and (count(mesh, "tetra") == ball["tets"] if solid
                           else count(mesh, "triangle") == ball["boundaryTriangles"])
        check(right, "%s read by meshio" % path)
        if "region" in mesh.cell_data:
            regions = numpy.concatenate([numpy.ravel(part) for part in mesh.cell_data["region"]])
            check(set(regions.astype(int)) == {0, 7}, "%s: regions read by meshio" % path)
    except BaseException as error:  # whatever a foreign program does
        check(False, "%s read by meshio: %s" % (path, error))

# What meshio writes
mesh = meshio.read("ours_vtu-ascii.vtu")
mesh.point_data["shift"] = numpy.arange(3 * len(mesh.points)).reshape(-1, 3) * 0.001
surface = meshio.read("ours_obj.obj")
writers = [("a.vtu", "vtu", {"binary": False}), ("b.vtu", "vtu", {"compression": None}), ("c.vtu", "vtu", {"compression": "zlib"}),
           ("d.vtk", "vtk", {"binary": True}), ("e.vtk", "vtk", {"binary": False}), ("f.vtk", "vtk42", {}),
           ("g.msh", "gmsh22", {"binary": False}), ("h.msh", "gmsh22", {"binary": True}), ("i.msh", "gmsh", {"binary": False}),
           ("j.msh", "gmsh", {"binary": True}), ("k.mesh", "medit", {}), ("l.meshb", "medit", {}), ("m.inp", "abaqus", {}),
           ("o.obj", "obj", {}), ("p.stl", "stl", {"binary": True}), ("q.stl", "stl", {"binary": False}),
           ("r.ply", "ply", {"binary": True}), ("s.ply", "ply", {"binary": False}), ("t.off", "off", {})]
for name, form, options in writers:
    try:
        meshio.write(name, mesh if name < "o" else surface, form, **options)
    except BaseException as error:
        print("  meshio does not write %s: %s" % (name, error))
        continue
    read = info(name)
    right = "error" not in read and abs(read["volume"] / ball["volume"] - 1.0) < 1e-5 and read["closed"]
    check(right and (name >= "o" or read["tets"] == ball["tets"]), "%s of meshio: %s" % (name, read.get("format", read)))

meshio.write("n.node", meshio.Mesh(mesh.points, [("tetra", mesh.cells_dict["tetra"])]), "tetgen")
for name in ("n.node", "n.ele"):
    read = info(name)
    check("error" not in read and read["tets"] == ball["tets"], "%s of meshio: %s" % (name, read.get("format", read)))

# Cells of second order: the corners are kept, and we say so
corners = mesh.cells_dict["tetra"]
edges = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)]
pairs = numpy.sort(corners[:, edges].reshape(-1, 2), axis=1)
unique, places = numpy.unique(pairs, axis=0, return_inverse=True)
points = numpy.vstack([mesh.points, mesh.points[unique].mean(axis=1)])
curved = meshio.Mesh(points, [("tetra10", numpy.hstack([corners, len(mesh.points) + places.reshape(-1, 6)]))])
for name, form, options in (("p2.vtu", "vtu", {}), ("p2.vtk", "vtk", {}), ("p2_22.msh", "gmsh22", {"binary": False}),
                            ("p2_22b.msh", "gmsh22", {"binary": True}), ("p2_41.msh", "gmsh", {"binary": False}),
                            ("p2_41b.msh", "gmsh", {"binary": True}), ("p2.inp", "abaqus", {})):
    try:
        meshio.write(name, curved, form, **options)
    except BaseException as error:
        print("  meshio does not write %s: %s" % (name, error))
        continue
    read = info(name)
    right = "error" not in read and abs(read["volume"] / ball["volume"] - 1.0) < 1e-5
    right = right and read["vertices"] == len(mesh.points) and str(len(unique)) in " ".join(read["notes"])
    check(right, "%s of meshio: %s" % (name, read.get("notes", read)))

# Data of triangles and of tets beside each other
skin = surface.cells_dict["triangle"]
both = meshio.Mesh(mesh.points, [("triangle", skin), ("tetra", corners)],
                   cell_data={"heat": [numpy.arange(len(skin)) * 0.5, numpy.arange(len(corners)) + 1000.0]})
meshio.write("both.vtu", both, "vtu")
for name in ("msh", "msh-binary"):  # of 2.2 meshio does not read its own files with two sorts of cells
    path = "both_%s.msh" % name
    run(souple, "mesh", "convert", "both.vtu", path, "--format", name)
    try:
        heat = meshio.read(path).cell_data["heat"]
        right = all(numpy.array_equal(numpy.ravel(a), b) for a, b in zip(heat, both.cell_data["heat"]))
        check(right and len(heat) == 2, "%s: data of triangles and tets read by meshio" % path)
    except BaseException as error:
        check(False, "%s: data of triangles and tets read by meshio: %s" % (path, error))

# Gmsh
if shutil.which("gmsh"):
    for name in ("msh", "msh-binary", "msh22", "msh22-binary", "mesh", "stl", "vtk", "ply-ascii"):
        path = "ours_%s.%s" % (name, forms[name])
        for binary in ([], ["-bin"]):
            out = "gmsh_%s%s.msh" % (name, "_binary" if binary else "")
            run("gmsh", "-v", "2", *binary, path, "-save", "-o", out, "-format", "msh41")
            read = info(out)
            right = "error" not in read and abs(read["volume"] / ball["volume"] - 1.0) < 1e-5
            check(right, "%s through Gmsh: %s" % (path, read.get("format", read)))
else:
    print("Gmsh is not installed (Debian: gmsh)")

print("%d failed" % failures)
sys.exit(1 if failures else 0)
