"""The language server, spoken to by a real client."""

import sys

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

START = "import sys; from attn_kata.__main__ import main; sys.exit(main())"


@pytest_lsp.fixture(
    config=ClientServerConfig(server_command=[sys.executable, "-c", START, "lsp"]),
)
async def client(lsp_client: LanguageClient):
    """An editor that has begun to speak to it."""
    await lsp_client.initialize_session(
        types.InitializeParams(capabilities=types.ClientCapabilities(), root_uri=None)
    )
    yield
    await lsp_client.shutdown_session()


async def shown(client, uri):
    """What is underlined in a file, once it is."""
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    return client.diagnostics[uri]


@pytest.mark.asyncio
async def test_a_line_is_underlined_at_every_save(client: LanguageClient, tmp_path, root):
    """The line at fault has the mistake's name and its page; mended and saved, nothing is left."""
    file = tmp_path / "mha.py"
    wrong = (root / "examples" / "wrong_mha.py").read_text("utf-8")
    file.write_text(wrong)
    uri = file.as_uri()
    item = types.TextDocumentItem(uri=uri, language_id="python", version=1, text=wrong)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    (one,) = await shown(client, uri)
    assert (one.code, one.source) == ("scale-by-hidden-dim", "attn-kata mha")
    assert one.severity is types.DiagnosticSeverity.Error
    line = wrong.split("\n")[30]
    assert (one.range.start, one.range.end) == (
        types.Position(30, 8), types.Position(30, len(line)),
    )  # fmt: skip
    where = types.TextDocumentIdentifier(uri)
    hover = await client.text_document_hover_async(types.HoverParams(where, types.Position(30, 9)))
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert hover.contents.value.startswith("# scale-by-hidden-dim")
    assert await client.text_document_hover_async(
        types.HoverParams(where, types.Position(2, 0))
    ) is None  # fmt: skip
    file.write_text(wrong.replace("math.sqrt(self.hidden_dim)", "math.sqrt(self.head_dim)"))
    client.text_document_did_save(types.DidSaveTextDocumentParams(where))
    assert list(await shown(client, uri)) == []
