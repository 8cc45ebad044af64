// Sentences for refusals.
import { authorsOf, clipped, moment, number, shown, titleIn } from "./text.js";

/** The word for a presentation that has ended. */
export const OVER = "no longer open";

/** Why nothing can be chosen that another person has claimed. */
export const claimedText = (holder) => `Claimed by ${shown(holder, 64)}: take it over first.`;

/** Why an answer or a claim was refused; undefined when the server's own text is used. */
export function refusalText(refusal, item, isAnswer) {
  const who = shown(refusal?.by, 64);
  const sentences = {
    answered: () => `Answered before: ${authorsOf(refusal)} chose `
      + `“${shown(titleIn(item, refusal.option), 120)}” at ${moment(refusal.at)}.`
      + (isAnswer ? " Yours was not sent." : ""),
    claimed: () => `Claimed by ${who} until ${moment(refusal.until)}: take it over first.`,
    closed: () => `No longer open: ${
      refusal.reason === "declined" ? "passed on" : refusal.reason}, at ${moment(refusal.at)}.`,
  };
  return sentences[refusal?.error]?.();
}

/** The same in a few words, for one of many. */
export const refusedWord = ({ error, message }) => ({
  answered: "answered before by another person", claimed: "claimed by another person",
  closed: OVER, unknownGroup: OVER,
})[error] ?? message;

/** The reasons of all that were refused, the most frequent first, each with its number. */
export function refusedWords(refused) {
  const counts = new Map();
  for (const word of refused.map(refusedWord)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const words = [...counts].sort((a, b) => b[1] - a[1]);
  if (words.length === 1) return words[0][0];
  const first = words.slice(0, 3).map(([word, count]) => `${number(count)} ${word}`);
  const rest = words.slice(3).reduce((sum, [, count]) => sum + count, 0);
  return [...first, ...(rest > 0 ? [`${number(rest)} for other reasons`] : [])].join(", ");
}

export const auditText = ({ sentence, originName, fields = {} }) =>
  clipped([sentence, originName && `from ${originName}`, fields.description]
    .filter(Boolean).join(" · "), 600);
