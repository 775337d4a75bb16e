"""``switchboard agents``: describe, publish and roll back agents."""

from __future__ import annotations

from typing import Annotated

import typer

from switchboard.commands.options import ApiKey, ApiUrl, AsJson, DataDir

app = typer.Typer(help="Describe, list, publish and roll back agents.", no_args_is_help=True)

AgentId = Annotated[str, typer.Argument(metavar="ID", help="Id of the agent.")]


@app.command("create")
def create(
    prompt: Annotated[str, typer.Option(help="What the agent is to do, in your own words.")],
    name: Annotated[
        str | None,
        typer.Option(help="Default: a name found in the prompt.", show_default=False),
    ] = None,
    publish: Annotated[
        bool, typer.Option("--publish", help="Publish it at once, so that it takes calls.")
    ] = False,
    api_url: ApiUrl = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Make an agent from a description.

    With a language model that model writes it, else a built-in builder does.
    """
    from switchboard.commands import agent_work
    from switchboard.commands.session import run

    run(
        lambda session: agent_work.create(session, prompt, name, publish=publish),
        api_url=api_url,
        api_key=api_key,
        data_dir=data_dir,
        as_json=as_json,
    )


@app.command("list")
def list_(
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many to show.")] = 50,
    offset: Annotated[int, typer.Option(min=0, help="How many to leave out first.")] = 0,
    api_url: ApiUrl = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """List the account's agents."""
    from switchboard.commands import agent_work
    from switchboard.commands.session import run

    run(
        lambda session: agent_work.list_agents(session, limit, offset),
        api_url=api_url,
        api_key=api_key,
        data_dir=data_dir,
        as_json=as_json,
    )


@app.command("show")
def show(
    agent_id: AgentId,
    api_url: ApiUrl = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Show one agent; --json shows all of it."""
    from switchboard.commands import agent_work
    from switchboard.commands.session import run

    run(
        lambda session: agent_work.show(session, agent_id),
        api_url=api_url,
        api_key=api_key,
        data_dir=data_dir,
        as_json=as_json,
    )


@app.command("publish")
def publish(
    agent_id: AgentId,
    api_url: ApiUrl = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Freeze the agent as it is into the next version, which new calls run."""
    from switchboard.commands import agent_work
    from switchboard.commands.session import run

    run(
        lambda session: agent_work.publish(session, agent_id),
        api_url=api_url,
        api_key=api_key,
        data_dir=data_dir,
        as_json=as_json,
    )


@app.command("versions")
def versions(
    agent_id: AgentId,
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many to show.")] = 50,
    offset: Annotated[int, typer.Option(min=0, help="How many to leave out first.")] = 0,
    api_url: ApiUrl = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """List what was published of an agent."""
    from switchboard.commands import agent_work
    from switchboard.commands.session import run

    run(
        lambda session: agent_work.versions(session, agent_id, limit, offset),
        api_url=api_url,
        api_key=api_key,
        data_dir=data_dir,
        as_json=as_json,
    )


@app.command("roll-back")
def roll_back(
    agent_id: AgentId,
    version: Annotated[int, typer.Argument(metavar="N", min=1, help="The version to serve again.")],
    restore_draft: Annotated[
        bool, typer.Option("--restore-draft", help="Take the editable agent back as well.")
    ] = False,
    api_url: ApiUrl = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Serve an earlier version again, from the next call on."""
    from switchboard.commands import agent_work
    from switchboard.commands.session import run

    run(
        lambda session: agent_work.roll_back(
            session, agent_id, version, restore_draft=restore_draft
        ),
        api_url=api_url,
        api_key=api_key,
        data_dir=data_dir,
        as_json=as_json,
    )
