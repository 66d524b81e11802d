"""An import-linter contract that lists what a part of the application may import."""

import sys
from typing import cast

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class MayImport(Contract):
    """`part` may import only the standard library, itself, and the modules in `allowed`.

    import-linter's own contract lists what is forbidden, so it would permit imports of parts that are added later.
    """

    type_name = "may_import"

    part = fields.StringField()
    allowed = fields.SetField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Check all direct imports of the part."""
        part, allowed = cast(str, self.part), cast(set[str], self.allowed)
        strays = [
            f"{importer} -> {imported}, line {graph.get_import_details(importer=importer, imported=imported)[0]['line_number']}"
            for importer in sorted(module for module in graph.modules if _within(module, {part}))
            for imported in sorted(graph.find_modules_directly_imported_by(importer))
            if not _within(imported, {part, "__future__", *allowed})
            and imported != "app"
            and imported not in sys.stdlib_module_names
        ]
        return ContractCheck(kept=not strays, metadata={"strays": strays})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print the imports that are not allowed."""
        for stray in check.metadata["strays"]:
            output.print_error(f"{stray}: not among what {self.part} may import")


def _within(module: str, packages: set[str]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)
