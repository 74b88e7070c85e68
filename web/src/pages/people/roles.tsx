import { Button, Checkbox, Modal, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { may } from "../../api/account/session.ts";
import { createRole, rolesQuery, type Role } from "../../api/organization/people.ts";
import { DialogForm } from "../../parts/forms/dialog-form.tsx";
import { fieldError } from "../../parts/forms/form.tsx";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { PeoplePage } from "./people-page.tsx";
import { actionText, letters } from "./permissions.ts";
import { RoleBar } from "./role-bar.tsx";
import { RoleMatrix, type Editing } from "./role-matrix.tsx";

export const Route = createFileRoute("/$org/-/people/roles")({ component: RolesPage });

function RolesPage() {
  const { org } = Route.useParams();
  const roles = useQuery(rolesQuery(org));
  const [isCreating, setCreating] = useState(false);
  const [editing, setEditing] = useState<Editing>();
  return (
    <PeoplePage
      org={org}
      title="Roles"
      subject={roles}
      renderActions={({ permissions }) =>
        may(permissions, "role", "create") && (
          <Button size="xs" leftSection={<Plus size={14} />} onClick={() => setCreating(true)}>
            New role
          </Button>
        )
      }
    >
      {(organization) => (
        <>
          <Roles
            org={org}
            organization={organization}
            roles={roles.data ?? []}
            editing={editing}
            onEdit={setEditing}
          />
          {isCreating && (
            <NewRoleDialog
              org={org}
              onClose={() => setCreating(false)}
              onCreated={(role) => setEditing({ role, permissions: role.permissions })}
            />
          )}
        </>
      )}
    </PeoplePage>
  );
}

interface Props {
  org: string;
  organization: Organization;
  roles: Role[];
  editing: Editing | undefined;
  onEdit: (editing: Editing | undefined) => void;
}

function Roles({ org, organization, roles, editing, onEdit }: Props) {
  const [isDifferent, setDifferent] = useState(false);
  return (
    <>
      <div className="row wrap between">
        <ul className="legend meta" aria-label="Letters">
          {Object.entries(letters).map(([action, letter]) => (
            <li key={action}>
              <span className="permission on" aria-hidden="true">
                {letter}
              </span>
              {actionText(action)}
            </li>
          ))}
        </ul>
        <Checkbox
          size="xs"
          label="Only differences from member"
          checked={isDifferent}
          onChange={(event) => setDifferent(event.currentTarget.checked)}
        />
      </div>
      <RoleMatrix
        organization={organization}
        roles={roles}
        isDifferent={isDifferent}
        editing={editing}
        onEdit={onEdit}
      />
      {editing && (
        <RoleBar
          key={editing.role.id}
          org={org}
          organization={organization}
          editing={editing}
          onDone={() => onEdit(undefined)}
        />
      )}
    </>
  );
}

interface DialogProps {
  org: string;
  onCreated: (role: Role) => void;
  onClose: () => void;
}

/** A new role can read skills; further permissions are ticked in the matrix. */
function NewRoleDialog({ org, onCreated, onClose }: DialogProps) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const creating = useMutation({
    mutationFn: () => createRole(org, { name: name.trim(), permissions: { skill: ["read"] } }),
    onSuccess: async (role) => {
      await client.invalidateQueries({ queryKey: rolesQuery(org).queryKey });
      onCreated(role);
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title="New role">
      <DialogForm
        label="New role"
        action="Create role"
        isReady={name.trim() !== ""}
        isPending={creating.isPending}
        error={creating.error}
        fields={["name"]}
        onSubmit={() => creating.mutate()}
        onClose={onClose}
      >
        <TextInput
          label="Name"
          description="It begins with the permission to read skills. Select more permissions in the table."
          data-autofocus
          required
          maxLength={50}
          value={name}
          error={fieldError(creating.error, "name")}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </DialogForm>
    </Modal>
  );
}
