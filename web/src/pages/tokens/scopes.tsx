import { Checkbox } from "@mantine/core";
import { may } from "../../api/session.ts";
import type { Organization } from "../../parts/organization-page.tsx";

/** Scopes that a token can have: a part of the permissions of roles. */
const groups: [group: string, label: string, actions: string[]][] = [
  ["skill", "Skills", ["read", "create", "update", "delete"]],
  ["folder", "Folders", ["create", "update", "delete"]],
  ["auditLog", "Audit log", ["read"]],
  ["githubSync", "Repository sync", ["read", "manage"]],
];

interface Props {
  organization: Organization;
  scopes: Record<string, string[]>;
  onChange: (scopes: Record<string, string[]>) => void;
}

export function Scopes({ organization, scopes, onChange }: Props) {
  const toggle = (group: string, action: string, isOn: boolean) => {
    const actions = (scopes[group] ?? []).filter((one) => one !== action);
    const { [group]: _old, ...rest } = scopes;
    const next = isOn ? [...actions, action] : actions;
    onChange(next.length > 0 ? { ...rest, [group]: next } : rest);
  };
  return (
    <div className="stack g3">
      {groups.map(([group, label, actions]) => (
        <fieldset key={group} className="row wrap scope">
          <legend className="sr">{label}</legend>
          <span className="scope-name" aria-hidden="true">
            {label}
          </span>
          {actions.map((action) => {
            const isHeld = may(organization.permissions, group, action);
            return (
              <Checkbox
                key={action}
                size="xs"
                label={action}
                title={isHeld ? undefined : "You don't hold this permission, so you can't give it."}
                aria-label={
                  isHeld ? `${label}: ${action}` : `${label}: ${action}. You don't hold this permission.`
                }
                disabled={!isHeld}
                checked={scopes[group]?.includes(action) ?? false}
                onChange={(event) => toggle(group, action, event.currentTarget.checked)}
              />
            );
          })}
        </fieldset>
      ))}
    </div>
  );
}
