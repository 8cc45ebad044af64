// The audit's events, what nodes changed, and refusals, as sentences.
import { moment, shown, titleIn } from "./text.js";

export function told(event, fields) {
  const offered = fields.options?.split(",").join(", ");
  const restored = fields.restored ? ", restored from the journal" : "";
  const sentences = {
    report: () => "Reported by its origin",
    present: () => `Presented${offered ? `, offering ${offered}` : ""}`,
    decide: () => `${fields.by} (${fields.via}) chose ${fields.option}${restored}`,
    done: () => `${fields.option} by ${fields.by}: ${fields.result}`,
    change: () => fields.reason === "expired"
      ? `No answer came in time${fields.option ? `; its origin applies ${fields.option}` : ""}`
      : `${fields.reason ?? "Changed"}${fields.by ? ` by ${fields.by}` : ""}`,
    leaving: () => `${fields.by} chose ${fields.option}, held back to undo`,
    undo: () => `Taken back by ${fields.by}`,
    claim: () => `Claimed by ${fields.by}`,
    release: () => `Released by ${fields.by}`,
    complete: () => `Completed at its origin: ${fields.reason}`,
  };
  const rest = Object.entries(fields).map((pair) => pair.join(" ")).join(", ");
  return sentences[event]?.() ?? `${event} ${rest}`;
}

/** Why an answer or a claim was refused; nothing where the server's own words have to do. */
export function refusalText(refusal, item) {
  const who = shown(refusal?.by, 64);
  const sentences = {
    answered: () => `Answered before: ${who} chose `
      + `“${shown(titleIn(item, refusal.option), 120)}” at ${moment(refusal.at)}. `
      + "Yours was not sent.",
    claimed: () => `Claimed by ${who} until ${moment(refusal.until)}: take it over first.`,
    closed: () => `No longer open: ${refusal.reason}, at ${moment(refusal.at)}.`,
  };
  return sentences[refusal?.error]?.();
}

/** The same in a few words, for one of many. */
export const refusedWord = ({ error, message }) => ({
  answered: "answered before by another person", claimed: "claimed by another person",
  closed: "no longer open",
})[error] ?? message;

export const auditText = (event, fields) =>
  [told(event, fields), fields.origin && `from ${fields.origin}`, fields.description]
    .filter(Boolean).join(" · ").slice(0, 600);

// What a node on the way changed in the report.
export const changesBy = (name, changes) => changes.filter(({ by }) => by === name)
  .flatMap(({ rewritten, severityBefore, addedOptions, removedOptions, redacted }) => [
    severityBefore && `changed the severity from ${severityBefore}`,
    rewritten && `rewrote the ${rewritten.join(", ")}`,
    addedOptions && `added the option ${addedOptions.join(", ")}`,
    removedOptions && `took away the option ${removedOptions.join(", ")}`,
    redacted && `redacted ${redacted.join(", ")}`,
  ].filter(Boolean));
