// Options that need two people: one proposes, another one confirms.
import { disabledFor, el, kbd, until } from "./elements.js";
import { isMe, myName, now, whyNot } from "./state.js";
import { commentText, shown, titleIn, valuesText } from "./text.js";

const OWN = "You proposed it: another person has to confirm it.";
const NAMESAKE =
  "A person with your name proposed it: a person with another name has to confirm it.";

/** What one person proposes; null for a proposal that ran out. */
export const proposalOf = ({ proposal }) =>
  (proposal && Date.parse(proposal.until) > now() ? proposal : null);

/** Whether this person proposed it. */
export const isOwn = (proposal) => Boolean(proposal) && isMe(proposal.by, proposal.person);

/** The proposal of another person, by another name, that choosing this option confirms; null for
 *  none. */
export function confirmedBy(option, item) {
  const proposal = proposalOf(item);
  return proposal?.option === option.id && !isOwn(proposal) && proposal.by !== myName()
    ? proposal : null;
}

const said = (proposal) => proposal && JSON.stringify([
  proposal.by, proposal.person, proposal.values, proposal.secrets, proposal.comment]);

/** The members whose proposals choosing this option confirms: those that say what the one on the
 *  screen says. Null where it confirms none. */
export function confirmedMembers(option, item, members) {
  const seen = said(confirmedBy(option, item));
  return seen && members.filter((each) => said(confirmedBy(option, each)) === seen);
}

/** Why an option that needs two people cannot be chosen now; null when it can. */
export function whyNotProposed(option, item) {
  const proposal = option.twoPeople ? proposalOf(item) : null;
  if (!proposal || confirmedBy(option, item)) return null;
  const title = shown(titleIn(item, proposal.option), 120);
  return proposal.option === option.id ? (isOwn(proposal) ? OWN : NAMESAKE)
    : `“${title}” is proposed: withdraw or decline that first.`;
}

/** What is proposed, and the button that drops it; else which options need two people. */
export function proposalBox(item, decline) {
  const proposal = proposalOf(item);
  if (!proposal) return noteOf(item);
  const isMine = isOwn(proposal);
  const others = proposal.by === myName() ? "a person with another name" : "you or another person";
  const title = `“${shown(titleIn(item, proposal.option), 260)}”${valuesText(proposal)}${
    commentText(proposal)}`;
  const text = isMine ? `You propose ${title}: another person confirms or declines it within `
    : `${shown(proposal.by, 64)} proposes ${title}: ${others} may confirm it within `;
  const button = el("button", {
    type: "button", textContent: isMine ? "Withdraw " : "Decline ",
    ...disabledFor(whyNot("answer")), dataset: { key: "decline" }, onclick: () => decline(item),
  }, kbd("u"));
  return el("p", { className: "buttons proposal" },
    el("span", {}, text, until(Date.parse(proposal.until)), "."), button);
}

function noteOf({ options }) {
  const titles = options.filter(({ twoPeople }) => twoPeople === "known")
    .map(({ title, id }) => `“${shown(title || id, 120)}”`);
  if (titles.length === 0) return null;
  const verb = titles.length > 1 ? "need" : "needs";
  const textContent = `${titles.join(", ")} ${verb} two people: one proposes, another confirms.`;
  return el("p", { className: "nameless", textContent });
}
