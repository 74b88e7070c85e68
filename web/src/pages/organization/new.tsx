import { Button, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { limits } from "../../../../contract/limits.ts";
import { identityQuery } from "../../api/account/session.ts";
import { createOrganization } from "../../api/organization/organizations.ts";
import { fieldError, Form } from "../../parts/forms/form.tsx";
import { Page } from "../../parts/page/page.tsx";
import { SignedIn } from "../../parts/page/signed-in.tsx";
import { Problem } from "../../parts/states/problem.tsx";

export const Route = createFileRoute("/orgs/new")({ component: NewOrganizationPage });

function NewOrganizationPage() {
  return (
    <Page title="New organization">
      <div className="page stack gap-4" style={{ maxWidth: 480 }}>
        <SignedIn head={<Head />}>{() => <NewOrganization />}</SignedIn>
      </div>
    </Page>
  );
}

const Head = () => (
  <div>
    <h1>New organization</h1>
    <p className="sub">Skills are published under an organization. You become its owner.</p>
  </div>
);

const fields = ["name", "slug"] as const;

/** The slug that a name suggests: what the service itself would derive from it. */
export const suggestSlug = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, limits.orgSlug.max)
    .replace(/-+$/, "");

function NewOrganization() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [slug, setSlug] = useState<string | undefined>();
  const create = useMutation({
    mutationFn: createOrganization,
    onSuccess: async (made) => {
      await client.invalidateQueries({ queryKey: identityQuery.queryKey });
      await navigate({ href: `/${made.slug}/-/library` });
    },
  });
  const address = slug ?? suggestSlug(name);
  return (
    <>
      <Form
        label="New organization"
        error={create.error}
        onSubmit={() => create.mutate({ name, slug: address === "" ? undefined : address })}
      >
        <Problem error={create.error} fields={fields} />
        <TextInput
          label="Name"
          autoComplete="organization"
          minLength={limits.orgName.min}
          maxLength={limits.orgName.max}
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldError(create.error, "name")}
        />
        <TextInput
          label="Slug"
          description={`Its address: ${location.host}/${address || "…"}`}
          autoComplete="off"
          spellCheck={false}
          maxLength={limits.orgSlug.max}
          value={address}
          onChange={(event) => setSlug(event.currentTarget.value || undefined)}
          error={fieldError(create.error, "slug")}
        />
        <div>
          <Button type="submit" loading={create.isPending}>
            Create organization
          </Button>
        </div>
      </Form>
    </>
  );
}
