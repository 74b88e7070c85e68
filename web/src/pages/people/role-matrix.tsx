import { Button, Tooltip } from "@mantine/core";
import { permissionText, permissionTitle } from "../../../../contract/text/permission-text.ts";
import type { PermissionGroup } from "../../../../contract/vocabulary.ts";
import { may } from "../../api/account/session.ts";
import type { Permissions, Role } from "../../api/organization/people.ts";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { actionsOf, actionText, holds, isGivable, letters, sections, toggled } from "./permissions.ts";

/** The custom role that is being edited, with its permissions as they would be saved. */
export interface Editing {
  role: Role;
  permissions: Permissions;
}

interface Props {
  organization: Organization;
  roles: Role[];
  /** Show only groups in which a role differs from member. */
  isDifferent: boolean;
  editing: Editing | undefined;
  onEdit: (editing: Editing) => void;
}

/** Groups of permissions by role. One custom role is edited at a time. */
export function RoleMatrix({ organization, roles, isDifferent, editing, onEdit }: Props) {
  const member = roles.find(({ id }) => id === "member")?.permissions ?? {};
  const isShown = (group: keyof Permissions) =>
    !isDifferent ||
    roles.some(({ permissions }) => (permissions[group] ?? []).join() !== (member[group] ?? []).join());
  const canUpdate = may(organization.permissions, "role", "update");
  return (
    <div className="panel role-matrix" data-editing={editing !== undefined}>
      <div className="scroll" tabIndex={0} role="region" aria-label="Permissions of each role">
        <table className="table">
          <caption className="visually-hidden">Permissions of each role</caption>
          <MatrixHead roles={roles} editing={editing} canUpdate={canUpdate} onEdit={onEdit} />
          {sections.map(([title, groups]) => (
            <tbody key={title}>
              <tr className="group">
                <th scope="rowgroup" colSpan={roles.length + 1}>
                  {title}
                </th>
              </tr>
              {groups
                .filter(([group]) => isShown(group))
                .map(([group, about]) => (
                  <tr key={group}>
                    <th scope="row">
                      <span title={group}>{permissionTitle(group)}</span>{" "}
                      <span className="meta block">{about}</span>
                    </th>
                    {roles.map((role) => (
                      <Cell
                        key={role.id}
                        group={group}
                        role={role}
                        organization={organization}
                        editing={editing?.role.id === role.id ? editing : undefined}
                        onEdit={onEdit}
                      />
                    ))}
                  </tr>
                ))}
            </tbody>
          ))}
        </table>
      </div>
    </div>
  );
}

interface HeadProps {
  role: Role;
  isEdited: boolean;
  onEdit: (() => void) | undefined;
}

function RoleHead({ role, isEdited, onEdit }: HeadProps) {
  return (
    <th scope="col" className={isEdited ? "role edited" : "role"}>
      <b>{role.name}</b>
      {isEdited ? <span className="accent">editing</span> : role.isBuiltIn ? "built in" : "custom"}
      {onEdit && (
        <Button size="compact-xs" variant="default" ml={8} aria-label={`Edit ${role.name}`} onClick={onEdit}>
          Edit
        </Button>
      )}
    </th>
  );
}

interface CellProps {
  group: PermissionGroup;
  role: Role;
  organization: Organization;
  editing: Editing | undefined;
  onEdit: (editing: Editing) => void;
}

function Cell({ group, role, organization, editing, onEdit }: CellProps) {
  if (editing)
    return (
      <td className="role edited">
        <span className="permissions">
          {actionsOf(group).map((action) => (
            <Tick
              key={action}
              group={group}
              action={action}
              editing={editing}
              organization={organization}
              onEdit={onEdit}
            />
          ))}
        </span>
      </td>
    );
  return (
    <td className="role">
      <span className="permissions">
        {actionsOf(group).map((action) => {
          const isOn = holds(role.permissions, group, action);
          return (
            <span key={action} className={isOn ? "permission on" : "permission"} title={actionText(action)}>
              <span aria-hidden="true">{isOn ? letters[action] : "·"}</span>
              <span className="visually-hidden">
                {actionText(action)}: {isOn ? "yes" : "no"}
              </span>
            </span>
          );
        })}
      </span>
    </td>
  );
}

interface TickProps {
  group: string;
  action: string;
  editing: Editing;
  organization: Organization;
  onEdit: (editing: Editing) => void;
}

/** Focusable also where it can't be ticked, since its description gives the reason. */
function Tick({ group, action, editing, organization, onEdit }: TickProps) {
  const name = permissionText(group, action);
  const isOn = holds(editing.permissions, group, action);
  const reason = !isGivable(group, action)
    ? "Only an owner can hold this."
    : may(organization.permissions, group, action)
      ? undefined
      : "You don't hold this permission yourself, so you can't give or take it.";
  const isNew = isOn !== holds(editing.role.permissions, group, action);
  return (
    <Tooltip label={reason ?? name}>
      <button
        type="button"
        role="checkbox"
        className={["permission", isOn && "on", isNew && "new", reason && "off"].filter(Boolean).join(" ")}
        aria-checked={isOn}
        aria-disabled={reason !== undefined}
        aria-label={reason ? `${name}. ${reason}` : name}
        onClick={() =>
          reason === undefined &&
          onEdit({ ...editing, permissions: toggled(editing.permissions, group, action) })
        }
      >
        {letters[action]}
      </button>
    </Tooltip>
  );
}

type MatrixHeadProps = Pick<Props, "roles" | "editing" | "onEdit"> & { canUpdate: boolean };

function MatrixHead({ roles, editing, canUpdate, onEdit }: MatrixHeadProps) {
  return (
    <thead>
      <tr>
        <th scope="col">Permission</th>
        {roles.map((role) => (
          <RoleHead
            key={role.id}
            role={role}
            isEdited={editing?.role.id === role.id}
            onEdit={
              canUpdate && !role.isBuiltIn && !editing
                ? () => onEdit({ role, permissions: role.permissions })
                : undefined
            }
          />
        ))}
      </tr>
    </thead>
  );
}
