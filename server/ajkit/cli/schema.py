"""`aj schema`: the JSON schema of template files or of JobSpec, with the services that are installed."""

from __future__ import annotations

import click

from ajkit.cli.invocation import this
from ajkit.cli.terminal import write
from ajkit.cli.verbs import Verb


@click.command(
    cls=Verb,
    examples=[
        ("aj schema template > template.schema.json", "for an editor without the language server"),
        ("aj schema jobspec", "what crosses the wire to the submission daemon"),
    ],
)
@click.argument("what", metavar="{template|jobspec}", type=click.Choice(["template", "jobspec"], case_sensitive=False))
@click.pass_context
def command(context: click.Context, *, what: str) -> None:
    """Print the JSON schema (draft 2020-12) of template files or of JobSpec.

    It knows every service that is installed here, those of other packages too.
    """
    import json

    from ajkit.shared.job.schema import jobspec_schema, template_schema

    services = this(context).engine().registry.all()
    schema = template_schema(services) if what == "template" else jobspec_schema(services)
    write(json.dumps(schema, indent=2, ensure_ascii=False) + "\n")
