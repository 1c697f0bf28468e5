"""The calls of a Python script that start programs: ``os.exec…``, ``os.spawn…``, ``os.system``, ``subprocess``, ``asyncio``."""

import ast
from typing import Any

from probes.launches.python.records import PyRun, PyWord, Unknown
from probes.launches.python.values import Values

# Where the argv stands among the arguments.
_EXEC = {"execv": 1, "execve": 1, "execvp": 1, "execvpe": 1, "spawnv": 2, "spawnvp": 2, "spawnve": 2, "posix_spawn": 1, "posix_spawnp": 1}
_EXEC_LIST = frozenset({"execl", "execlp"})
_RUN = frozenset({"run", "call", "check_call", "check_output", "Popen", "create_subprocess_exec"})
_SHELL = frozenset({"system", "popen", "create_subprocess_shell", "getoutput", "getstatusoutput"})


class Starts:
    """Notes in the state of `values` what a call starts."""

    def __init__(self, values: Values) -> None:
        self.values, self.state = values, values.state

    def call(self, node: ast.Call) -> None:
        """Note the program that the call starts, where it starts one."""
        name = self.state.dotted(node.func)
        module, _, function = name.rpartition(".")
        if module == "os" and function in _EXEC and len(node.args) > _EXEC[function]:
            self._executed(node, node.args[_EXEC[function]], function)
        elif module == "os" and function in _EXEC_LIST and len(node.args) > 1:
            self._executed(node, ast.List(elts=node.args[1:], ctx=ast.Load()), function)
        elif module in ("os", "asyncio", "subprocess") and function in _SHELL and node.args:
            self.state.runs.append(self._shell(node, node.args[0]))
        elif module in ("subprocess", "asyncio") and function in _RUN and name != "asyncio.run":
            self._ran(node, function)

    def _executed(self, node: ast.Call, argv: ast.expr, function: str) -> None:
        run = self._listed(node, argv)
        run.executed = True
        program = node.args[1 if function.startswith("spawn") else 0]
        # The kernel runs the path, whatever the first word of the argv says.
        path = self._known(program)
        if run.words and path:
            run.words[0] = PyWord(str(path), self.state.segment(program), program.lineno)
        if function.endswith("e") and len(node.args) > _EXEC[function] + 1:
            self._environ(run, node.args[_EXEC[function] + 1])
        self.state.runs.append(run)

    def _ran(self, node: ast.Call, function: str) -> None:
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        first = node.args[0] if node.args else keywords.get("args")
        if first is None:
            return
        if "shell" in keywords and self._known(keywords["shell"]):
            run = self._shell(node, first)
        elif function == "create_subprocess_exec":
            run = self._listed(node, ast.List(elts=list(node.args), ctx=ast.Load()))
        else:
            run = self._listed(node, first)
        self.state.runs.append(run)
        if "env" in keywords:
            self._environ(run, keywords["env"])
        if "cwd" in keywords:
            self._folder(run, keywords["cwd"])

    def _known(self, node: ast.expr) -> Any:
        """The value of an expression, None where it is not known."""
        try:
            return self.values.value(node)
        except Unknown:
            return None

    def _folder(self, run: PyRun, node: ast.expr) -> None:
        try:
            folder = self.values.value(node)
        except Unknown:
            run.whole = False
            return
        if folder is not None:
            run.cwd = str(folder)

    def _environ(self, run: PyRun, node: ast.expr) -> None:
        try:
            env = self.values.value(node)
        except Unknown:
            run.whole = False
            return
        if isinstance(env, dict):
            base = {name: value for name, value in self.state.environment.items() if name not in self.state.changed}
            run.env = {str(name): str(value) for name, value in env.items() if base.get(name) != value}
            run.unset = tuple(name for name in base if name not in env)

    def _started(self, node: ast.Call) -> PyRun:
        state = self.state
        return PyRun(line=node.lineno, env=dict(state.changed), unset=state.removed, cwd=state.cwd, conditional=state.conditional > 0)

    def _shell(self, node: ast.Call, text: ast.expr) -> PyRun:
        run = self._started(node)
        try:
            value = self.values.value(text)
            run.shell = value if isinstance(value, str) else str(value[0])
        except (Unknown, IndexError, TypeError):
            run.shell, run.whole = "", False
        return run

    def _listed(self, node: ast.Call, argv: ast.expr) -> PyRun:
        run = self._started(node)
        try:
            value = self.values.value(argv)
        except Unknown:
            value, run.whole = self._partly(argv), False
        if isinstance(value, str):
            value = [value]
        for item in value if isinstance(value, list | tuple) else []:
            known = self.state.words.get(id(item))
            run.words.append(known if known and known.text == item else PyWord(str(item), repr(item), node.lineno))
        return run

    def _partly(self, argv: ast.expr) -> list[Any]:
        """The words of a list that could not be folded whole: an unknown one becomes its source text."""
        if isinstance(argv, ast.BinOp):
            return [*self._partly(argv.left), *self._partly(argv.right)]
        made: list[Any] = []
        for node in argv.elts if isinstance(argv, ast.List | ast.Tuple) else [argv]:
            try:
                value = self.values.value(node.value if isinstance(node, ast.Starred) else node)
                made += list(value) if isinstance(node, ast.Starred) or (isinstance(value, list) and node is argv) else [value]
            except Unknown:
                made.append("{" + self.state.segment(node) + "}")
        return made
