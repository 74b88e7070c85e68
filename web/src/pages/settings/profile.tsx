import { Button, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { changeProfile } from "../../api/account/account.ts";
import { identityQuery, type Identity } from "../../api/account/session.ts";
import { fieldError, Form } from "../../parts/forms/form.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { SettingsPage } from "./frame.tsx";

export const Route = createFileRoute("/settings/profile")({ component: ProfilePage });

function ProfilePage() {
  return (
    <SettingsPage title="Profile" about="How other members see you.">
      {(identity) => <ProfileForm identity={identity} />}
    </SettingsPage>
  );
}

const fields = ["name", "username"] as const;

function ProfileForm({ identity }: { identity: Identity }) {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: changeProfile,
    onSuccess: (changed) => client.setQueryData(identityQuery.queryKey, changed),
  });
  const submit = (values: Record<string, string>) => {
    const changed = fields.filter((name) => values[name] !== identity[name]);
    if (changed.length > 0)
      save.mutate(Object.fromEntries(changed.map((name) => [name, values[name] ?? ""])));
  };
  return (
    <section className="panel" aria-label="Profile">
      <div className="body">
        <Form label="Profile" onSubmit={submit} error={save.error}>
          <Problem error={save.error} fields={fields} />
          <TextInput
            name="name"
            label="Name"
            autoComplete="name"
            defaultValue={identity.name}
            maxLength={100}
            required
            error={fieldError(save.error, "name")}
          />
          <TextInput
            name="username"
            label="User name"
            description="Lower-case letters, digits and hyphens. Versions that you published keep your current name."
            autoComplete="nickname"
            defaultValue={identity.username}
            maxLength={39}
            required
            error={fieldError(save.error, "username")}
          />
          <div className="row">
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
            <span role="status" className="meta">
              {save.isSuccess && "Saved."}
            </span>
          </div>
        </Form>
      </div>
    </section>
  );
}
