/** The form for a new organization. */
import { limits } from "../../contract/limits.ts";
import { postForm } from "../http/forms.ts";
import { field, problem } from "../http/fields.ts";
import { html, type Html } from "../http/html.ts";

export const organizationField = (value: string, optional: boolean) =>
  field({
    name: "organization",
    label: "Organization",
    value,
    optional,
    autocomplete: "organization",
    maxLength: limits.orgName.max,
    hint: "Skills are published under an organization; you become its owner.",
  });

export function newOrganizationPage(view: {
  error?: string | undefined;
  organization: string;
  slug: string;
}): Html {
  return html`${problem(view.error)}
  ${postForm(
    "/orgs/new",
    html`${organizationField(view.organization, false)}
      ${field({
        name: "slug",
        label: "Short name in addresses",
        value: view.slug,
        optional: true,
        maxLength: limits.orgSlug.max,
        hint: "Lower-case letters, digits and hyphens; made from the name when left empty.",
      })} <button>Create organization</button>`,
  )}`;
}
