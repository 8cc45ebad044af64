// The form for a new silence, with a preview of what it would silence now.
import { $, el } from "./elements.js";
import { api, failureText, Refusal } from "./api.js";
import { ownName } from "./dialogs.js";
import { addInfo, clearProblems, fillSilenceForm, isWithin, readSilenceForm, showProblem }
  from "./silence-fields.js";
import { loadSilences } from "./silences.js";
import { openModal } from "./modal.js";
import { toast } from "./news.js";
import { may, state } from "./state.js";
import { counted, moment, number, shown } from "./text.js";

const TYPING = 300;
const AGAIN = 3000;
let previewing = 0; // The latest request for a preview.
let timer = null;
let previewed = null; // The match and option of which the form shows what they would end.

/** Opens the form with `match` and `narrower` of `likeThis`, or of a silence. */
export function openSilenceForm(given = {}) {
  const dialog = $("silenceDialog");
  if (dialog.open) return;
  if (!may("silence")) { toast("You may not make silences.", "warning"); return; }
  fillSilenceForm({ ...given });
  setSending(false);
  previewed = null;
  if (given.item) offerUserInfo(fillSilenceForm.given);
  openModal(dialog);
  $("silenceComment").focus();
  preview();
}

/** The fields of the report, which the list does not have, as further ways to narrow the match. */
async function offerUserInfo(given) {
  const { report } = await api("GET", `presentations/${given.item}`).catch(() => ({}));
  const isFor = $("silenceDialog").open && given === fillSilenceForm.given;
  if (report?.userInfo && isFor) fillSilenceForm.offer(report.userInfo);
}

/** Shows the preview: after each change, and repeatedly while the form is open. */
async function preview() {
  clearTimeout(timer);
  const dialog = $("silenceDialog");
  const { match, option, isEmpty } = readSilenceForm();
  showEnd();
  previewing += 1;
  const asked = previewing;
  let isRefused = false;
  if (isEmpty) {
    // What was wrong with a field that is empty now is mended; that all are empty is not.
    showPreview("Fill in at least one: a silence of everything is refused.", [], {},
      (name) => name.startsWith("match."));
  } else {
    try {
      const body = { match, ...(option && { option }) };
      const reply = await api("POST", "silences/preview", body);
      if (asked === previewing) {
        showPreview(...previewText(reply));
        previewed = JSON.stringify(body);
      }
    } catch (error) {
      isRefused = error instanceof Refusal;
      if (asked === previewing) refused(error);
    }
  }
  // A refused match is refused again until it is changed.
  if (dialog.open && asked === previewing && !isRefused) timer = setTimeout(preview, AGAIN);
}

function previewText({ ids, ...counts }) {
  const { open } = counts;
  const seen = new Map();
  for (const id of ids) {
    const text = state.items.get(id)?.description;
    if (text) seen.set(text, (seen.get(text) ?? 0) + 1);
  }
  const examples = [...seen].slice(0, 3).map(([text, count]) =>
    (count > 1 ? `${shown(text, 90)} × ${count}` : shown(text, 90)));
  const text = open ? `${number(open)} open now ${open === 1 ? "matches" : "match"}.`
    : "No open presentation matches.";
  return [text, examples, counts];
}

/** How the presentations that match and are open now would end. */
function openText({ open = 0, answered = 0, withheld = 0 }) {
  if (!open) return "Also those open now, except claimed ones";
  const left = open - answered - withheld;
  const ends = [[answered, "answered"], [withheld, "withheld"], [left, "left to people"]]
    .filter(([count]) => count > 0).map(([count, end]) => `${number(count)} ${end}`);
  return `Also the ${number(open)} open now: ${ends.join(", ")}`;
}

function showPreview(text, examples = [], counts = {},
  isMended = (name) => isWithin(name, "match")) {
  const place = $("silencePreview");
  const also = openText(counts);
  const said = [text, ...examples, also].join("\n");
  if (place.dataset.said !== said) {
    place.dataset.said = said;
    $("silenceOpenText").textContent = also;
    $("silenceLeft").hidden = !(counts.open > counts.answered + counts.withheld);
    place.replaceChildren(el("strong", { textContent: text }),
      ...examples.map((example) => el("span", { textContent: example, dir: "auto" })));
  }
  clearProblems(isMended);
}

function showEnd() {
  const { forMilliseconds } = readSilenceForm();
  $("silenceEnd").textContent = forMilliseconds
    ? `It ends ${moment(Date.now() + state.skew + forMilliseconds)}.` : "";
}

function refused(error) {
  const isRefusal = error instanceof Refusal;
  // Without a reply nothing is wrong with the form.
  if (isRefusal) showProblem(error.message);
  const text = isRefusal ? "No preview until this is mended." : "The preview could not be loaded.";
  showPreview(text, [], {}, () => false);
}

async function submit(event) {
  if (event.submitter?.value === "cancel") return;
  event.preventDefault();
  // A problem of the match is already shown by the preview.
  clearProblems((name) => !isWithin(name, "match"));
  const { isEmpty, comment, option, ...form } = readSilenceForm();
  if (isEmpty) { showProblem("match: fill in at least one"); return; }
  if (!comment) { showProblem("comment: give a reason, for other people"); return; }
  if (!form.forMilliseconds) { showProblem("forMilliseconds: from one minute to 30 days"); return; }
  const asked = { match: form.match, ...(option && { option }) };
  if (form.alsoOpen && !(await isAsPreviewed(JSON.stringify(asked)))) return;
  const by = await ownName();
  if (!by) return;
  // The reply may come when the form is open for another silence.
  const mine = fillSilenceForm.given;
  const isMine = () => $("silenceDialog").open && fillSilenceForm.given === mine;
  if (!isMine()) return;
  setSending(true);
  try {
    const body = { ...form, comment, by, ...(option && { option }) };
    const reply = await api("POST", "silences", body);
    if (isMine()) $("silenceDialog").close();
    made(reply);
  } catch (error) {
    if (!isMine()) { toast(`The last silence: ${failureText(error)}`, "error"); return; }
    setSending(false);
    showProblem(failureText(error));
  }
}

/** Whether the form shows what would be silenced now; else it does then, and says so. */
async function isAsPreviewed(asked) {
  if (previewed === asked) return true;
  const before = $("silencePreview").dataset.said;
  await preview();
  if (previewed !== asked) return false; // Refused, or changed once more.
  if ($("silencePreview").dataset.said === before) return true;
  showProblem("The form has changed: look at how many are open now, then save it again.");
  return false;
}

/** What is being sent is not changed any more; Cancel closes the form, and the rest goes on. */
function setSending(isSending) {
  const save = $("silenceSave");
  for (const part of save.form.children) part.inert = isSending && !part.contains(save);
  save.disabled = isSending;
}

function made({ silence, applied, unrecorded }) {
  const also = applied ? ` ${counted(applied, "open presentation")} ended at once.` : "";
  const late = unrecorded ? ` ${counted(unrecorded, "answer")} not on disk yet.` : "";
  toast(`Silence ${silence.number} until ${moment(silence.endsAt)}.${also}${late}`,
    late ? "warning" : "good");
  loadSilences();
}

export function startSilenceForm() {
  const dialog = $("silenceDialog");
  dialog.firstElementChild.addEventListener("submit", submit);
  dialog.addEventListener("input", ({ target }) => {
    if (target === $("silenceOption")) clearProblems((name) => name === "option");
    clearTimeout(timer);
    showEnd();
    timer = setTimeout(preview, TYPING);
  });
  dialog.addEventListener("close", () => { clearTimeout(timer); previewing += 1; });
  $("silenceAddInfo").addEventListener("click", () => addInfo());
  // Typing an amount selects its radio button.
  $("silenceAmount").addEventListener("input", () => {
    dialog.querySelector("[name=duration][value=own]").checked = true;
  });
  $("newSilence").addEventListener("click", () => openSilenceForm());
}
