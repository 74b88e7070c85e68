import { Button, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { identityQuery, organizationQuery } from "../../api/account/session.ts";
import { changeOrganization } from "../../api/organization/organizations.ts";
import { fieldError } from "../../parts/forms/form.tsx";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { Problem } from "../../parts/states/problem.tsx";

interface Draft {
  name: string;
  slug: string;
  description: string;
}

const fields = ["name", "slug", "description"] as const;

/** Name, slug and description. A previous slug keeps leading to the organization. */
export function Identity({ organization }: { organization: Organization }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { name, slug, description, formerSlugs } = organization;
  const [draft, setDraft] = useState<Draft>({ name, slug, description });
  const changed = fields.filter((key) => draft[key].trim() !== organization[key]);
  const saving = useMutation({
    mutationFn: () =>
      changeOrganization(slug, Object.fromEntries(changed.map((key) => [key, draft[key].trim()]))),
    onSuccess: async (saved) => {
      client.setQueryData(organizationQuery(saved.slug).queryKey, saved);
      await client.invalidateQueries({ queryKey: identityQuery.queryKey });
      if (saved.slug === slug) return;
      await navigate({ to: "/$org/-/settings", params: { org: saved.slug }, replace: true });
    },
  });
  return (
    <form
      className="stack gap-3"
      style={{ maxWidth: 520 }}
      aria-label="Name and address"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <h2>Name and address</h2>
      <Fields
        draft={draft}
        error={saving.error}
        onChange={(part) => setDraft((old) => ({ ...old, ...part }))}
      />
      {formerSlugs.length > 0 && (
        <p className="meta">
          Previous slugs: <span className="mono">{formerSlugs.join(", ")}</span>
        </p>
      )}
      <Problem error={saving.error} fields={fields} />
      <div className="row">
        <Button type="submit" loading={saving.isPending} disabled={changed.length === 0}>
          Save
        </Button>
        <span className="meta" role="status">
          {saving.isSuccess && changed.length === 0 && "Saved"}
        </span>
      </div>
    </form>
  );
}

interface FieldsProps {
  draft: Draft;
  error: unknown;
  onChange: (part: Partial<Draft>) => void;
}

function Fields({ draft, error, onChange }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Name"
        required
        maxLength={50}
        value={draft.name}
        error={fieldError(error, "name")}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <TextInput
        label="Slug"
        required
        maxLength={39}
        spellCheck={false}
        value={draft.slug}
        error={fieldError(error, "slug")}
        description="It is part of all addresses. Addresses with the previous slug keep working."
        onChange={(event) => onChange({ slug: event.currentTarget.value })}
      />
      <Textarea
        label="Description"
        autosize
        minRows={2}
        maxLength={500}
        value={draft.description}
        error={fieldError(error, "description")}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
    </>
  );
}
