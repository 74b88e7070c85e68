/** The field for the first organization of a new account. */
import { limits } from "../../contract/limits.ts";
import { field } from "../http/pages/fields.ts";

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
