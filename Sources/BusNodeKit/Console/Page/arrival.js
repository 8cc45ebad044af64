// Loads the page again when a part of it did not arrive: a browser drops what it loads when the
// network of its machine changes. No module, since those may be what is missing.
{
  const COUNT = "errorbus.arrival"; // Of the times in a row that the page lacked a part.
  const PAUSE_MIN = 1000;
  const PAUSE_MAX = 30_000;
  let isWhole = true;

  addEventListener("error", ({ target }) => {
    if (target instanceof HTMLScriptElement || target instanceof HTMLLinkElement) isWhole = false;
  }, true);

  addEventListener("load", () => {
    if (isWhole) { sessionStorage.removeItem(COUNT); return; }
    const count = Number(sessionStorage.getItem(COUNT));
    sessionStorage.setItem(COUNT, count + 1);
    const note = document.createElement("p");
    note.setAttribute("role", "alert");
    note.className = "missing";
    note.textContent = "A part of this page did not arrive. It is loaded again until it is whole.";
    document.body.prepend(note);
    const pause = Math.min(PAUSE_MIN * 2 ** count, PAUSE_MAX);
    setTimeout(again, pause, pause);
  });

  // What the browser shows in place of a console that is away would never come back.
  async function again(pause) {
    try {
      await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(PAUSE_MAX) });
      location.reload();
    } catch {
      setTimeout(again, pause, Math.min(2 * pause, PAUSE_MAX));
    }
  }
}
