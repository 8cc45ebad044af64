// The notes that people write on a presentation.
import { $, disabledFor, el, foreign, kbd } from "./elements.js";
import { failureText, newID, postTwice } from "./api.js";
import { dialogResult, ownName } from "./dialogs.js";
import { schedule } from "./frame.js";
import { toast } from "./news.js";
import { whyNot } from "./state.js";
import { keep } from "./store.js";
import { headingOf, shown, zoned } from "./text.js";

/** The notes, oldest first, and the button for another one where the inbox has the item. */
export function notesOf(item, notes) {
  if (item.archived && notes.length === 0) return null;
  const lines = notes.map(({ by, at, text }) => el("li", {},
    el("p", { className: "meta" },
      el("b", { className: "foreign", textContent: shown(by, 200), dir: "auto" }),
      el("time", { dateTime: at, title: zoned(at), textContent: zoned(at) })),
    foreign("p", text)));
  const button = el("button", {
    type: "button", textContent: "Write a note… ", ...disabledFor(whyNot("answer")),
    dataset: { key: "note" }, onclick: () => writeNote(item),
  }, kbd("n"));
  return el("div", { className: "notes" }, lines.length > 0 && el("ol", {}, ...lines),
    !item.archived && button);
}

let isWriting = false; // One form for all: a refused note comes back to it.

/** Asks for a note, and sends it; a refused one stays in the form. */
export async function writeNote(item) {
  const reason = whyNot("answer")
    ?? (isWriting ? "One moment: the last note is on its way." : null);
  if (reason) { toast(reason, "warning"); return; }
  isWriting = true;
  try {
    const by = await ownName();
    if (by) await askNote(item, by);
  } finally {
    isWriting = false;
  }
}

async function askNote(item, by) {
  const sent = { text: "", id: newID() };
  let problem = null;
  do {
    $("noteAbout").textContent = `“${shown(headingOf(item), 300)}”`;
    $("noteText").value = sent.text;
    $("noteProblem").hidden = !problem;
    $("noteProblem").textContent = shown(problem ?? "", 600);
    if ((await dialogResult($("noteDialog"))) !== "save") return;
    const text = $("noteText").value;
    // The same text again is the same note, which may have arrived.
    if (text !== sent.text) Object.assign(sent, { text, id: newID() });
    problem = await problemOf(item, { by, text, note: sent.id });
  } while (problem);
}

/** Sends a note; returns why it was refused, or null. */
async function problemOf(item, body) {
  try {
    keep(await postTwice(`presentations/${item.id}/note`, body));
    return null;
  } catch (error) {
    return failureText(error);
  } finally {
    schedule();
  }
}
