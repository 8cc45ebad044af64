// Dialogs in front of the page.
import { $ } from "./elements.js";
import { fillAlerts, keepAlerts } from "./alerts.js";
import { api, failureText } from "./api.js";
import { schedule } from "./frame.js";
import { openModal } from "./modal.js";
import { toast } from "./news.js";
import { hasKeys, isCompact, myName, state, timeZone, undoTime } from "./state.js";
import { groupSize, isOpen } from "./store.js";
import {
  authorsOf, commentText, counted, headingOf, number, optionTitle, shown, titleIn, valuesText,
  zoneText,
} from "./text.js";
import { proposalOf } from "./two-people.js";
import { refreshView } from "./views.js";

const ORIGINS_MAX = 3; // That a confirmation names.

/** The value that the dialog was closed with; empty when it was cancelled, or is open already. */
export function dialogResult(dialog) {
  if (dialog.open) return Promise.resolve("");
  dialog.returnValue = "";
  openModal(dialog);
  return new Promise((resolve) => {
    const closed = () => {
      // This event comes later: by then the dialog may be open again.
      if (dialog.open) return;
      dialog.removeEventListener("close", closed);
      resolve(dialog.returnValue);
    };
    dialog.addEventListener("close", closed);
  });
}

export async function askName() {
  const isGiven = Boolean(state.me?.name);
  $("nameField").value = myName();
  $("nameField").disabled = isGiven;
  $("nameNote").textContent = isGiven
    ? `Every answer is recorded with this name, ${state.me.isProxied || state.me.provider
      ? "under which you have signed in." : "which belongs to your token."}`
    : "Every answer is recorded with this name. It is kept in this browser.";
  $("undoField").value = undoTime() / 1000;
  fillAlerts();
  $("keysField").checked = hasKeys();
  $("rowsField").value = isCompact() ? "compact" : "comfortable";
  $("zoneField").checked = Boolean(timeZone());
  $("zoneNote").textContent = `Otherwise in the zone of this browser: ${zoneText()}.`;
  // A proxy would sign the person in again at once.
  $("signOut").hidden = Boolean(state.me?.isProxied && !state.me.signOut);
  const result = await dialogResult($("nameDialog"));
  if (result === "leave") await signOut();
  if (result !== "save") return;
  const name = $("nameField").value.trim();
  if (name && !isGiven) localStorage.setItem("errorbus.name", name);
  localStorage.setItem("errorbus.undo", $("undoField").value);
  keepAlerts();
  localStorage.setItem("errorbus.keys", $("keysField").checked ? "on" : "off");
  localStorage.setItem("errorbus.rows", $("rowsField").value);
  localStorage.setItem("errorbus.zone", $("zoneField").checked ? "utc" : "local");
  drawName();
  refreshView(); // With its times in the zone.
}

/**
 * Removes the token from this browser, and asks for one, or leads to where the proxy or provider
 * signs out.
 */
async function signOut() {
  try {
    const { signOut } = await api("POST", "me/leave", {});
    if (signOut) location.assign(signOut); else location.reload();
  } catch (error) {
    toast(failureText(error), "error");
  }
}

/** The person's name; asked the first time. Empty when the dialog was cancelled. */
export async function ownName() {
  if (!myName()) await askName();
  return myName();
}

/** The name of the person to whom a claim is to be handed; empty when the dialog was cancelled. */
export async function askReceiver(text) {
  $("handText").textContent = text;
  $("handName").value = "";
  const result = await dialogResult($("handDialog"));
  return result === "hand" ? $("handName").value.trim() : "";
}

/** Shows what this person has chosen: the name, whether there are keys of one character, and how
 *  high a row is. */
export function drawName() {
  document.body.classList.toggle("compact", isCompact());
  document.body.classList.toggle("keyless", !hasKeys());
  $("keysOff").hidden = hasKeys();
  $("who").textContent = myName() ? `You: ${shown(myName(), 24)}` : "Your name";
  schedule();
}

/** Where that comes from which an option will change. */
function originsText(origins, count) {
  const named = origins.slice(0, ORIGINS_MAX).map((name) => shown(name, 64)).join(", ");
  const rest = origins.length - ORIGINS_MAX;
  const more = rest > 0 ? ` and ${counted(rest, "more origin")}` : "";
  return `${count > 1 ? "They come" : "It comes"} from ${named}${more}.`;
}

/** Asks for confirmation; closes when what it is for ends meanwhile: a presentation, its group, or
 *  all that are `selected`. */
export async function confirmed(option, item, count, why) {
  const { isDestructive, differs, isLarge, origins, proposal, of, selected } = why;
  const title = shown(optionTitle(option), 260);
  const all = of > count ? ` for ${number(count)} of ${number(of)}`
    : count > 1 ? ` for all ${number(count)}` : "";
  $("confirmTitle").textContent = `${title}${all}?`;
  $("confirmText").textContent = [`“${shown(headingOf(item), 300)}”`,
    proposal && `${shown(proposal.by, 64)} proposes it${
      valuesText(proposal)}${commentText(proposal)}; you confirm it as the second person.`,
    isLarge && `It is for ${number(count)} presentations at once.`,
    differs && "Some of them have different texts: read those first.",
    isDestructive && `${originsText(origins, count)} This cannot be undone.`]
    .filter(Boolean).join(" ");
  $("confirmYes").textContent = count > 1 ? `${title} × ${number(count)}` : title;
  $("confirmYes").className = isDestructive ? "destructive" : "";
  const life = state.startedAt;
  const note = $("confirmEnded");
  note.hidden = true;
  state.confirming = {
    item, selected, isGroup: of > 1, proposal, life, end: endConfirmation, note,
  };
  const result = await dialogResult($("confirmDialog"));
  state.confirming = null;
  return result;
}

/** Whether it can still be answered. */
function isOpenNow({ id }) {
  const latest = state.items.get(id);
  return Boolean(latest && isOpen(latest));
}

/** Says how many of those that are selected have ended since the confirmation or the form came. */
function noteEnded(note, ended, count) {
  const text = `${number(ended)} of the ${number(count)} selected ${ended === 1 ? "has" : "have"} `
    + "ended meanwhile.";
  note.hidden = ended === 0;
  if (note.textContent !== text) note.textContent = text;
}

/** Ends the confirmation or the form for what can no longer be answered, or whose proposal is
 *  another one now. */
export function drawConfirmation() {
  if (!state.confirming) return;
  const { item, selected, isGroup, proposal, life, end, note } = state.confirming;
  const latest = state.items.get(item.id);
  const isOther = life !== state.startedAt; // The same id may stand for another text now.
  const left = selected?.filter(isOpenNow).length;
  const isAsked = selected ? left > 0
    : isOpenNow(item) || (isGroup && groupSize(item.group) > 0);
  const isWithdrawn = proposal && isOpenNow(item) && proposalOf(latest)?.id !== proposal.id;
  if (isAsked && !isOther && !isWithdrawn) {
    if (selected) noteEnded(note, selected.length - left, selected.length);
    return;
  }
  state.confirming = null;
  const answer = latest?.answer;
  const how = isOther ? "the console was restarted"
    : isWithdrawn ? `the proposal of ${shown(proposal.by, 64)} was withdrawn, declined or ran out`
    : selected?.length > 1 ? `all ${number(selected.length)} selected have ended`
    : answer ? `it was answered with “${shown(titleIn(latest, answer.option), 120)}” by `
    + authorsOf(answer) : "it ended";
  end(`Meanwhile ${how}: nothing was sent.`);
}

function endConfirmation(text) {
  $("confirmDialog").close("");
  toast(text, "warning");
}

export const openHelp = () => dialogResult($("helpDialog"));
