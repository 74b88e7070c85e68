/**
 * Script of pages with forms: problems under their fields in place of the browser's bubbles, a button that shows a
 * password, and how strong a new one is. It is inline, with the nonce of the page, and the pages work without it.
 */
import { passwordStrength } from "../../../contract/checks/password-strength.ts";
import { html, Html } from "./html.ts";

/** The tag by another name: the formatter would lay the script out as HTML, which breaks it. */
const script = html;

export const formScript: Html = script`{
const passwordStrength = ${Html.sourceOf(passwordStrength)};

const labelOf = (input) => input.labels?.[0]?.firstChild?.textContent.trim() ?? "this field";

function problemOf(input) {
  const { validity, minLength, value } = input;
  if (validity.valueMissing) return "Fill in “" + labelOf(input) + "”.";
  if (validity.typeMismatch) return "Enter an address such as ada@example.com.";
  if (validity.tooShort || (minLength > 0 && value.length < minLength))
    return "Use at least " + minLength + " characters. This has " + value.length + ".";
  return input.validationMessage;
}

const idOf = (input) => input.id + "-problem";
const describers = (input) => (input.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id !== "" && id !== idOf(input));

function clear(input) {
  document.getElementById(idOf(input))?.remove();
  input.removeAttribute("aria-invalid");
  const others = describers(input);
  if (others.length > 0) input.setAttribute("aria-describedby", others.join(" "));
  else input.removeAttribute("aria-describedby");
}

function show(input) {
  clear(input);
  const text = document.createElement("small");
  text.id = idOf(input);
  text.className = "bad";
  text.textContent = problemOf(input);
  input.closest("p").append(text);
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", [text.id, ...describers(input)].join(" "));
}

for (const form of document.querySelectorAll("main form")) {
  form.noValidate = true;
  form.addEventListener("submit", (event) => {
    if (event.submitter?.formNoValidate) return;
    const isShort = ({ minLength, value }) => minLength > 0 && value.length < minLength;
    const wrong = [...form.elements].filter(
      (one) => one.willValidate && one.closest("p") && (!one.checkValidity() || isShort(one)),
    );
    if (wrong.length === 0) return;
    event.preventDefault();
    wrong.forEach(show);
    wrong[0].focus();
  });
  form.addEventListener("input", ({ target }) => {
    if (target.getAttribute("aria-invalid") !== "true") return;
    if (target.checkValidity()) clear(target);
    else show(target);
  });
}

for (const input of document.querySelectorAll("input[type=password]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain reveal";
  button.title = "Show what you type";
  const set = (isShown) => {
    input.type = isShown ? "text" : "password";
    button.textContent = isShown ? "Hide" : "Show";
    button.setAttribute("aria-pressed", String(isShown));
  };
  set(false);
  button.addEventListener("click", () => set(input.type === "password"));
  // Password managers recognize the field by its type.
  input.form.addEventListener("submit", () => set(false));
  input.after(button);
  if (input.autocomplete === "new-password") addStrength(input);
}

function addStrength(input) {
  const text = document.createElement("small");
  text.setAttribute("role", "status");
  text.hidden = true;
  input.addEventListener("input", () => {
    const strength = strengthOf(input);
    text.className = strength?.tone ?? "";
    text.hidden = !strength;
    text.textContent = strength ? "Strength: " + strength.text : "";
  });
  input.closest("p").append(text);
}

function strengthOf({ value, minLength, form }) {
  const own = ["name", "username", "email"].map((name) => form.elements[name]?.value ?? "");
  return passwordStrength(value, minLength, own);
}
}`;
