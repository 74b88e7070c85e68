/** Problems that the browser finds in fields, as text under them in place of its bubbles. */
import "./field-problems.css";

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

let last = 0;

/** Shows the problem of a field until it is corrected, and moves the focus to the first such field of its form. */
export function showProblem(field: Field): void {
  const place = field.closest(".mantine-InputWrapper-root") ?? field.parentElement;
  if (!place) return;
  const shown = place.querySelector(":scope > .field-problem");
  const text = shown ?? document.createElement("p");
  text.textContent = problemOf(field);
  if (!shown) {
    text.className = "field-problem";
    text.id = `field-problem-${++last}`;
    place.append(text);
    watch(field, text);
  }
  field.form?.querySelector<HTMLElement>(":is(input, select, textarea):invalid")?.focus();
}

/** Removes the text once the field is valid, and updates it while it is not. */
function watch(field: Field, text: Element): void {
  const described = field.getAttribute("aria-describedby");
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", [text.id, described].filter(Boolean).join(" "));
  const update = () => {
    if (!field.validity.valid) {
      text.textContent = problemOf(field);
      return;
    }
    field.removeEventListener("input", update);
    text.remove();
    field.removeAttribute("aria-invalid");
    if (described === null) field.removeAttribute("aria-describedby");
    else field.setAttribute("aria-describedby", described);
  };
  field.addEventListener("input", update);
}

function problemOf(field: Field): string {
  const { validity, value } = field;
  if (validity.valueMissing) return "Fill in this field.";
  if (validity.typeMismatch && field.type === "email") return "Enter an address such as ada@example.com.";
  if (validity.typeMismatch && field.type === "url") return "Enter an address such as https://example.com.";
  if (validity.tooShort && "minLength" in field)
    return `Use at least ${field.minLength} characters. This has ${value.length}.`;
  return field.validationMessage;
}
