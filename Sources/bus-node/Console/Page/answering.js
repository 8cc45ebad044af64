// Answering and claiming.
import { api, failureText, newID, postTwice } from "./api.js";
import { confirmed, ownName } from "./dialogs.js";
import { schedule } from "./frame.js";
import { toast } from "./news.js";
import { current } from "./rows.js";
import { myName, state, undoTime } from "./state.js";
import { claimant, groupSize, isOpen, keep } from "./store.js";
import { number, shown } from "./text.js";
import { offerUndo } from "./undoing.js";

export const JUST_SHOWN = 400; // What has been on the screen for less was not read.
const CLAIM_TIME = 15 * 60_000;

/** Why nothing may be answered now, if so. */
function obstacle(item, whole) {
  const holder = claimant(item);
  if (state.busy) return "One moment: the last answer is on its way.";
  if (!state.online) return "No link to the console: nothing can be sent now.";
  if (!isOpen(item)) return "It is no longer open.";
  if (holder && holder !== myName() && !whole) {
    return `Claimed by ${holder}: take it over first.`;
  }
  if (performance.now() - state.shownAt < JUST_SHOWN) {
    return "Shown only this moment: read it, then choose again.";
  }
  return null;
}

export async function answer(option) {
  const item = current();
  const size = groupSize(item.group);
  const whole = state.whole && size > 1;
  const seen = state.drawn;
  const reason = obstacle(item, whole);
  if (reason) { toast(reason, "warning"); return; }
  const by = await ownName();
  if (!by) return;
  const isDestructive = option.role === "destructive";
  if (isDestructive && !(await confirmed(option, item, whole ? size : 1))) return;
  const body = { option: option.id, by, undoMilliseconds: undoTime() };
  await busily(() => (whole ? answerGroup(item, option, { ...body, seen })
    : answerOne(item, option, body)));
}

/** One request at a time; a refusal is told, and what is shown is read again. */
async function busily(work) {
  state.busy = true;
  schedule();
  try {
    await work();
  } catch (error) {
    toast(failureText(error), "error");
    state.details = null;
  }
  state.busy = false;
  schedule();
}

async function answerOne(item, option, body) {
  keep(await postTwice(`presentations/${item.id}/answer`, { ...body, answer: newID() }));
  const text = `${shown(option.title, 60)}: ${shown(item.description, 90)}`;
  offerUndo({ id: item.id }, text, body.undoMilliseconds);
}

async function answerGroup(item, option, body) {
  const { answered, refused } = await api("POST", `groups/${item.group}/answer`, body);
  if (refused.length > 0) {
    toast(`${number(refused.length)} not answered: ${refused[0].message}`, "warning");
  }
  if (answered.length === 0) return;
  const count = number(answered.length);
  const text = `${shown(option.title, 60)} × ${count}: ${shown(item.description, 90)}`;
  offerUndo({ group: item.group }, text, body.undoMilliseconds);
}

async function change(verb, body) {
  const item = current();
  const by = await ownName();
  if (!item || !by) return;
  await busily(async () =>
    keep(await api("POST", `presentations/${item.id}/${verb}`, { by, ...body })));
}
export const claim = (takeOver) => change("claim", { forMilliseconds: CLAIM_TIME, takeOver });
export const release = () => change("release", {});

export function claimOrRelease() {
  const item = current();
  if (!item || !isOpen(item)) return;
  const holder = claimant(item);
  if (holder && holder === myName()) release(); else claim(false);
}

export function toggleWhole() {
  const item = current();
  state.whole = !state.whole && Boolean(item) && groupSize(item.group) > 1;
  schedule();
}

export function answerByNumber(position) {
  const item = current();
  const option = item && isOpen(item) ? item.options[position - 1] : null;
  if (option) answer(option);
}
