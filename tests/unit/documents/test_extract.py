"""Files as documents: every format, and what is refused."""

from __future__ import annotations

import io
import sys
import zipfile

import pytest

from superbiz_cli.adapters.document_text import extract
from superbiz_cli.knowledge.document import DocumentRefused


def refusal(name: str, raw: bytes) -> str:
    with pytest.raises(DocumentRefused) as caught:
        extract(name, raw)
    return caught.value.reason


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("中文 text".encode(), "中文 text"),
        ("\ufeff中文".encode(), "中文"),
        ("中文".encode("utf-16"), "中文"),
        ("连接池耗尽的处置方法".encode("gb18030"), "连接池耗尽的处置方法"),
    ],
)
def test_text_of_the_usual_encodings_is_read(raw: bytes, text: str) -> None:
    assert extract("a.txt", raw).text == text


def test_a_few_broken_bytes_are_replaced_and_said() -> None:
    document = extract("a.md", b"hello world " * 30 + b"\xff\xfe ok")
    assert document.warning == "2 broken characters replaced"


@pytest.mark.parametrize(
    ("name", "raw", "reason"),
    [
        ("a.md", b"", "is empty"),
        ("a.md", b" \n\t", "is empty"),
        ("a.md", b"---\ntitle: x\n---\n", "holds no text"),
        ("a.md", b"a\x00b", "is a binary file"),
        ("a.md", bytes(range(128, 256)) * 20, "is neither UTF-8 nor GB18030 text"),
        ("a.html", b"<script>x()</script>", "holds no text"),
        ("a.pdf", b"%PDF-1.4 not really", "is not a readable PDF"),
        ("a.docx", b"PK not really", "is not a readable DOCX file"),
    ],
)
def test_what_is_no_document_is_refused(name: str, raw: bytes, reason: str) -> None:
    assert refusal(name, raw) == reason


def test_front_matter_labels_a_document_and_is_no_text() -> None:
    raw = '---\ntitle: "连接池"\ncategories: [db, x]\nscope: team\n---\n# x\ny'.encode()
    document = extract("a.md", raw)
    assert (document.title, document.category, document.scope, document.text) == (
        "连接池",
        "db",
        "team",
        "# x\ny",
    )


def test_toml_front_matter_is_read_too() -> None:
    document = extract("a.md", b'+++\ntitle = "T"\ncategory = "c"\n+++\ntext')
    assert (document.title, document.category, document.text) == ("T", "c", "text")


@pytest.mark.parametrize("front", ["---\n: [\n---\n", "---\n- a list\n---\n", "---\nno end"])
def test_front_matter_that_is_none_is_text(front: str) -> None:
    document = extract("a.md", f"{front}text".encode())
    assert document.text == f"{front}text"
    assert document.title == ""


def test_html_keeps_structure_and_drops_what_is_around_it() -> None:
    html = (
        "<html><head><title>T &amp; x</title><style>a{}</style></head><body><nav>menu</nav>"
        "<h1>Head <b>one</b></h1><p>Run <code>kubectl get</code>, world.</p><pre><code>a\n  b\n</code></pre>"
        "<ul><li>x<ul><li>y</li></ul></li></ul>"
        "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2|3</td></tr></table></body></html>"
    )
    document = extract("a.html", html.encode())
    assert document.title == "T & x"
    assert "menu" not in document.text
    assert "# Head one\n" in document.text
    assert "Run kubectl get, world." in document.text
    assert "```\na\n  b\n```" in document.text
    assert "| a | b |\n| --- | --- |\n| 1 | 2\\|3 |" in document.text


@pytest.mark.parametrize(
    "html", ["<p", "</td></tr></table>", "<table><tr></table>x", "<pre>open", "&#xffffff;x"]
)
def test_broken_html_is_read_as_far_as_it_goes(html: str) -> None:
    assert isinstance(extract("a.html", f"<p>text</p>{html}".encode()).text, str)


def test_a_docx_file_is_read() -> None:
    body = (
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
        "<w:p><w:r><w:t>The pool is exhausted.</w:t></w:r></w:p></w:body></w:document>"
    )
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument'
        '.wordprocessingml.document.main+xml"/></Types>'
    )
    rels = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship '
        'Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
        'Target="word/document.xml"/></Relationships>'
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("[Content_Types].xml", types)
        archive.writestr("_rels/.rels", rels)
        archive.writestr("word/document.xml", body)
    assert extract("a.docx", buffer.getvalue()).text.strip() == "The pool is exhausted."


def test_a_pdf_without_text_is_refused_with_what_to_do() -> None:
    import pypdf

    writer = pypdf.PdfWriter()
    writer.add_blank_page(100, 100)
    buffer = io.BytesIO()
    writer.write(buffer)
    assert refusal("a.pdf", buffer.getvalue()).startswith("holds no text")


def pdf(*pages: str, title: str = "", password: str = "") -> bytes:
    """A PDF whose pages hold one line of text each."""
    import pypdf
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = pypdf.PdfWriter()
    for text in pages:
        page = writer.add_blank_page(width=300, height=200)
        font = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Font"),
                NameObject("/Subtype"): NameObject("/Type1"),
                NameObject("/BaseFont"): NameObject("/Helvetica"),
            }
        )
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
        )
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET".encode("latin-1"))
        page[NameObject("/Contents")] = writer._add_object(stream)
    if title:
        writer.add_metadata({"/Title": title})
    if password:
        writer.encrypt(password)
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def test_a_pdf_is_read_page_by_page() -> None:
    document = extract("runbook.pdf", pdf("Empty the queue first", "Then restart", title="Queue  full"))
    assert document.title == "Queue full"
    assert document.text == "## Page 1\n\nEmpty the queue first\n\n## Page 2\n\nThen restart"


def test_a_pdf_with_a_password_is_refused() -> None:
    assert refusal("a.pdf", pdf("secret", password="swordfish")) == "is a PDF that needs a password"


@pytest.mark.parametrize(("package", "name"), [("pypdf", "a.pdf"), ("mammoth", "a.docx")])
def test_without_the_extra_the_file_is_refused_with_what_to_install(
    package: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(DocumentRefused) as refused:
        extract(name, b"anything")
    assert f"{package} is not installed" in refused.value.reason
    assert "superbiz[documents]" in (refused.value.hint or "")
