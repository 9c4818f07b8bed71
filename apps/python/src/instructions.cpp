// The Python module edgewise._instructions, which is compiled for any processor: whether edgewise._core can be loaded.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "edgewise/core/instructions.hpp"

namespace {

PyObject* missing(PyObject*, PyObject*) {
  char names[512];
  edgewise::missing_instructions(names, sizeof names);
  return PyUnicode_FromString(names);
}

PyObject* architecture(PyObject*, PyObject*) { return PyUnicode_FromString(edgewise::portable_architecture()); }

PyMethodDef methods[] = {{"missing", &missing, METH_NOARGS, "The instruction sets that this processor lacks."},
                         {"architecture", &architecture, METH_NOARGS, "What to build with instead."},
                         {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_instructions", nullptr, 0, methods,
                          nullptr,               nullptr,         nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__instructions() { return PyModule_Create(&definition); }
