/** Parts of forms: error message, fields and checkboxes. */
import { html, type Html } from "./html.ts";

/** An error message above a form; announced by screen readers. */
export function problem(message: string | undefined): Html {
  return html`${message !== undefined && html`<p class="alert" role="alert">${message}</p>`}`;
}

export interface Field {
  name: string;
  label: string;
  value?: string;
  type?: "text" | "email" | "password";
  /** For the browser's own help with filling in. */
  autocomplete?: string;
  hint?: string;
  optional?: boolean;
  /** A link next to the label. */
  aside?: Html;
  /** The field has the focus at first. */
  isFocused?: boolean;
  minLength?: number;
  maxLength?: number;
}

/** A labelled input. A password is never put back into a page. */
export function field(f: Field): Html {
  const type = f.type ?? "text";
  return html`<p class="field">
    <span class="label"
      ><label for="${f.name}">${f.label}${f.optional && html` <small>(optional)</small>`}</label>
      ${f.aside}</span
    >
    <input
      id="${f.name}"
      name="${f.name}"
      type="${type}"
      value="${type === "password" ? "" : f.value}"
      autocomplete="${f.autocomplete ?? "off"}"
      maxlength="${f.maxLength ?? 300}"
      ${f.minLength !== undefined && html`minlength="${f.minLength}"`}
      ${!f.optional && html`required`}
      ${f.isFocused === true && html`autofocus`}
      ${f.hint !== undefined && html`aria-describedby="${f.name}-hint"`}
    />
    ${f.hint !== undefined && html`<small id="${f.name}-hint">${f.hint}</small>`}
  </p>`;
}

/** A labelled checkbox. The form has the field only while it is checked. */
export function checkbox(f: { name: string; label: string; checked: boolean; hint?: string }): Html {
  return html`<p class="check">
    <input
      id="${f.name}"
      name="${f.name}"
      type="checkbox"
      value="yes"
      ${f.checked && html`checked`}
      ${f.hint !== undefined && html`aria-describedby="${f.name}-hint"`}
    />
    <label for="${f.name}">${f.label}</label>
    ${f.hint !== undefined && html`<small id="${f.name}-hint">${f.hint}</small>`}
  </p>`;
}

export function hidden(name: string, value: string | undefined): Html | undefined {
  return value === undefined ? undefined : html`<input type="hidden" name="${name}" value="${value}" />`;
}
