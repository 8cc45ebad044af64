// The keyboard.
import { $, isComposed, isWide } from "./elements.js";
import {
  answerByNumber, claimOrRelease, dropProposal, handOverClaim, takeOver, toggleWhole,
} from "./answering.js";
import { openPicked } from "./acting.js";
import { onAuditKey } from "./audit.js";
import { openHelp } from "./dialogs.js";
import { onFilterKey } from "./filter-box.js";
import { leaveOut } from "./group.js";
import { onHistoryKey } from "./history.js";
import { choose, collapse, expand, focusCursor, isFocusInList, move } from "./list.js";
import { writeNote } from "./notes.js";
import { focusOptionSearch } from "./option-search.js";
import { likeThis } from "./patterns.js";
import { pickRange, togglePick } from "./picking.js";
import { collectRows, current } from "./rows.js";
import { openViews } from "./saved-views.js";
import { openSilenceForm } from "./silence-form.js";
import { hasKeys, state } from "./state.js";
import { undoLast } from "./undoing.js";
import { select, turnTab } from "./views.js";

function leaveDetail() {
  if (!isWide()) select(null);
  focusCursor();
}

function focusFilter() {
  const field = { inbox: "filter", history: "pastQuery", audit: "auditQuery" }[state.tab];
  if (field) $(field).focus();
}

function focusOrder() {
  $(state.show === "open" ? "sort" : "view").focus();
}

function silence() {
  const item = state.tab === "inbox" ? current() : null;
  if (state.online) openSilenceForm(item ? likeThis(item) : {});
}

/** Selects the row under the cursor, or no longer; leaves a member out of its group's answer, or
 *  takes it in again. */
function toggleRow() {
  const row = state.rows[state.cursorIndex];
  if (row?.kind === "member") leaveOut([row.key], !state.leftOut.has(row.key));
  else if (row) togglePick(row.key);
}

function focusComment() {
  if (state.tab === "inbox") $("comment")?.focus();
}

function note() {
  const item = current();
  if (item) writeNote(item);
}

const KEYS = {
  "?": openHelp, "/": focusFilter, "[": () => turnTab(-1), "]": () => turnTab(1), s: silence,
  u: () => undoLast() || dropProposal(),
};
const INBOX_KEYS = {
  j: () => move(state.selected || isFocusInList() ? state.cursorIndex + 1 : 0),
  k: () => move(state.cursorIndex - 1), g: toggleWhole, c: claimOrRelease, C: takeOver,
  h: handOverClaim, m: focusComment, f: focusOptionSearch, n: note, o: focusOrder, v: openViews,
  x: toggleRow, X: () => pickRange(state.cursor), a: openPicked, Escape: leaveDetail,
};
const LIST_KEYS = {
  ArrowDown: () => move(state.cursorIndex + 1), ArrowUp: () => move(state.cursorIndex - 1),
  Home: () => move(0), End: () => move(state.rows.length - 1),
  PageDown: () => move(state.cursorIndex + 8), PageUp: () => move(state.cursorIndex - 8),
  ArrowRight: () => expand(state.cursor, true), ArrowLeft: collapse,
};

/** A letter as Shift makes it; Caps Lock makes no other key of it. */
const letterOf = ({ key, shiftKey }) =>
  (/^[a-z]$/i.test(key) ? shiftKey ? key.toUpperCase() : key.toLowerCase() : key);

function actionFor(event) {
  const key = letterOf(event);
  const { target } = event;
  if (KEYS[key]) return KEYS[key];
  if (state.tab !== "inbox") return null;
  if (/^[1-9]$/.test(key)) return () => answerByNumber(Number(key));
  if (key === "Enter" && target === document.body && state.cursor) {
    return () => choose(state.cursor);
  }
  const isForList = isFocusInList() || target === document.body;
  return INBOX_KEYS[key] ?? (isForList ? LIST_KEYS[key] : null);
}

/** Whether it is a chord, as of the browser. Many keyboards write brackets with AltGr, on Windows
 *  also Ctrl and Alt, or with Option alone. */
function isChord(event) {
  const { key, altKey, ctrlKey, metaKey } = event;
  const isWritten = /^[[\]]$/.test(key)
    && (!ctrlKey || event.getModifierState?.("AltGraph"));
  return metaKey || ((ctrlKey || altKey) && !isWritten);
}

export function onKey(event) {
  if (isChord(event) || isComposed(event)) return;
  if (state.fault || document.querySelector("dialog[open], #door:not([hidden])")) return;
  if (event.target.matches("input:not([type=checkbox]), select, textarea")) {
    onFieldKey(event);
    return;
  }
  // A key that is held down moves the cursor, but never answers.
  const isOff = event.key.length === 1 && !hasKeys();
  const action = isOff ? null : actionFor(event);
  if (!action || (event.repeat && !/^(Arrow|Page|[jk]$)/i.test(event.key))) return;
  event.preventDefault();
  action();
}

function onFieldKey(event) {
  const { key, target } = event;
  if (target === $("filter") && onFilterKey(event)) return;
  if (target === $("pastQuery") && onHistoryKey(event)) return;
  if (target === $("auditQuery") && onAuditKey(event)) return;
  if (key === "Enter" && target === $("filter")) {
    collectRows(); // The last key may not have been drawn yet.
    move(0);
  }
  if (key !== "Escape") return;
  target.blur();
  if (state.tab === "inbox") focusCursor();
}
