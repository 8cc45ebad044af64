// The page that a link in a hook's message opens. Opening it changes nothing: its button answers.
import { api, failureText, Refusal } from "./api.js";

const button = document.querySelector("#answer");
const outcome = document.querySelector("#outcome");
const link = new URLSearchParams(location.search).get("link");

button.addEventListener("click", async () => {
  button.disabled = true;
  try {
    const { by } = await api("POST", "answer", { link });
    outcome.textContent = `Answered by ${by}: ${button.textContent}`;
    button.hidden = true;
  } catch (error) {
    outcome.textContent = failureText(error);
    button.hidden = error instanceof Refusal;
    button.disabled = false;
  }
});
