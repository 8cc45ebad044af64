// Reminds a person who looks elsewhere, once, of what is about to expire.
import { closeOver, idsOf, isBurst, isSeen, isShown, show, tagOf } from "./notifications.js";
import { beep } from "./sound.js";
import { SEVERITIES, state } from "./state.js";
import {
  claimant, expiryOption, isClaimedByMe, isLive, isNearlyOver, NEARLY_OVER,
} from "./store.js";
import { counted, headingOf, moment, optionTitle, originOf, shown } from "./text.js";
import { NOTIFIES, passes } from "./thresholds.js";
import { select } from "./views.js";

const TEXT_MAX = 200;
const OTHERS = "errorbus expiring";

const reminded = new Set(); // The ids of those that had theirs, or came within it seen here.

const rank = ({ severity }) => SEVERITIES.indexOf(severity);
const isOthers = (item) => Boolean(claimant(item)) && !isClaimedByMe(item);

/** What is applied when no answer comes, and when, by this machine's clock. */
export function expiryText(item) {
  const option = expiryOption(item);
  const what = option ? `“${shown(optionTitle(option), 80)}” is applied` : "it expires";
  return `Without an answer ${what} at ${moment(item.deadline - state.skew)}.`;
}

/** What came with so little time left needs no second notification. */
export const noteReminded = (item) => reminded.add(item.id);

/** Looks for what is nearly over since the last look. What is out of date reminds of nothing. */
export function remind() {
  if (!state.online || !state.ready) return;
  closeOver();
  for (const id of reminded) {
    const item = state.items.get(id);
    if (!item || !isLive(item)) reminded.delete(id);
  }
  const due = [...state.items.values()].filter((item) =>
    isNearlyOver(item) && !reminded.has(item.id) && !isOthers(item));
  due.forEach(noteReminded);
  if (due.length === 0 || isSeen()) return;
  beep(due.reduce((most, item) => (rank(item) > rank(most) ? item : most)).severity);
  const groups = new Map();
  for (const item of due.filter(({ severity }) => passes(NOTIFIES, severity))) {
    groups.set(tagOf(item), [...groups.get(tagOf(item)) ?? [], item]);
  }
  const rest = [...groups].filter(([tag, items]) => {
    if (isBurst()) return true;
    remindOfGroup(tag, items);
    return false;
  });
  if (rest.length > 0) remindOfRest(rest.flatMap(([, items]) => items));
}

/** In the place of what the group's members had when they came, and with a sign. */
function remindOfGroup(tag, items) {
  const [item] = items.sort((a, b) => a.deadline - b.deadline);
  const ids = new Set([...idsOf(tag), ...items.map(({ id }) => id)]);
  show(tag, {
    title: `Expires soon: ${item.severity}, ${shown(originOf(item), 80)}`,
    body: `${expiryText(item)}\n${shown(headingOf(item), TEXT_MAX)}`,
    severity: item.severity, renotify: true, ids,
  }, () => select(item.id));
}

/** One notification for the rest of a burst. */
function remindOfRest(items) {
  const ids = new Set([...idsOf(OTHERS), ...items.map(({ id }) => id)]);
  const all = [...ids].map((id) => state.items.get(id)).filter(Boolean);
  const { severity } = all.reduce((most, item) => (rank(item) > rank(most) ? item : most));
  show(OTHERS, {
    title: `${counted(ids.size, "more presentation")} ${ids.size === 1 ? "expires" : "expire"} `
      + `within ${NEARLY_OVER / 60_000} min`,
    body: ids.size === 1 ? severity : `The gravest: ${severity}`,
    severity, renotify: !isShown(OTHERS), ids,
  }, () => select(state.selected));
}
