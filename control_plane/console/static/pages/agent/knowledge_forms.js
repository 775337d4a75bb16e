/** Adding texts, web pages and files. */

import { api, buttons, fileField, formDialog, longTextField, press, tell, textField } from "../../kit.js";

const titleField = (options) => textField("title", "Title", { maxlength: 200, ...options });

async function upload(base, { file, title }) {
  const form = new FormData();
  form.set("file", file);
  form.set("title", title);
  return api.post(`${base}/upload`, form);
}

/** Each `[words, fields, send]`. */
const FORMS = [
  [
    "Upload a file",
    () => [
      fileField("file", "File", { accept: ".pdf,.docx,.txt,.md,.html,.json", hint: "PDF, DOCX, TXT, Markdown, HTML or JSON, up to 10 MB." }),
      titleField({ required: false, hint: "Empty: the name of the file." }),
    ],
    upload,
  ],
  [
    "Add a web page",
    () => [textField("url", "Address", { type: "url", placeholder: "https://", hint: "This page alone, without those that it links to." }), titleField()],
    (base, given) => api.post(base, { kind: "url", ...given }),
  ],
  [
    "Write a text",
    () => [titleField(), longTextField("text", "Text", { rows: 10, required: true, hint: "Headings in Markdown say what is below them." })],
    (base, given) => api.post(base, { kind: "text", ...given }),
  ],
];

/** @param changed is called when something was added. */
export const addButtons = (base, changed) =>
  buttons(
    FORMS.map(([words, fields, send]) =>
      press(words, async () => {
        if (!(await formDialog(words, { fields: fields(), send: (given) => send(base, given), words: "Add" }))) return;
        tell("It is being read");
        await changed();
      }),
    ),
  );
