/** Roles as options of a field. */
import { may } from "../../api/account/session.ts";
import type { Role } from "../../api/organization/people.ts";
import type { Organization } from "../page/organization-page.tsx";

/** Whether someone with these permissions may give the role: not more than they hold. */
export const missingFor = (organization: Organization, role: Role): string[] =>
  Object.entries(role.permissions).flatMap(([group, actions]) =>
    actions
      .filter((action) => !may(organization.permissions, group, action))
      .map((action) => `${group}: ${action}`),
  );

/** Roles that the user may give; the others are disabled. */
export const roleOptions = (organization: Organization, roles: Role[] | undefined) =>
  (roles ?? []).map((role) => ({
    value: role.id,
    label: role.name,
    disabled: missingFor(organization, role).length > 0,
  }));

/** Roles below that of an owner: people are made owners one by one. */
export const roleOptionsBelowOwner = (organization: Organization, roles: Role[] | undefined) =>
  roleOptions(organization, roles).filter(({ value }) => value !== "owner");
