import { Modal, Select, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { limits } from "../../../../../contract/limits.ts";
import { foldersQuery, identityQuery, may, organizationQuery } from "../../../api/account/session.ts";
import { copySkill } from "../../../api/skills/skill-settings.ts";
import { refOf, type Skill } from "../../../api/skills/skills.ts";
import { DialogForm } from "../../../parts/forms/dialog-form.tsx";
import { fieldError } from "../../../parts/forms/form.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";

interface Props {
  skill: Skill;
  /** The shown version, which is copied. */
  semver: string;
  onClose: () => void;
}

/** Copies the shown version to an organization of the user, as a new private skill that names its origin. */
export function CopyDialog({ skill, semver, onClose }: Props) {
  const form = useCopy(skill, semver, onClose);
  const { copy, organizations, org } = form;
  return (
    <Modal opened onClose={onClose} title={`Copy ${skill.slug} ${semver}`}>
      <DialogForm
        label={`Copy ${skill.slug}`}
        action="Copy"
        isReady={form.isReady}
        isPending={copy.isPending}
        error={copy.error}
        fields={["name"]}
        onSubmit={() => copy.mutate()}
        onClose={onClose}
      >
        <p className="sub">
          The copy has the same files and begins at 1.0.0. It is private, and names this skill as its origin
          to those who can read it. Later versions of this skill don't change it.
        </p>
        <Select
          label="Organization"
          data={organizations.map(({ slug, name }) => ({ value: slug, label: visibleText(name) }))}
          value={org}
          allowDeselect={false}
          searchable={organizations.length > 10}
          error={form.reason || undefined}
          onChange={(value) => form.setOrg(value ?? org)}
        />
        <Select
          label="Folder"
          placeholder="No folder"
          data={form.folders}
          value={form.folder}
          clearable
          searchable
          limit={100}
          nothingFoundMessage="No folder matches"
          clearButtonProps={{ "aria-label": "No folder" }}
          onChange={form.setFolder}
        />
        <TextInput
          label="Name"
          value={form.name}
          required
          maxLength={limits.skillName}
          error={fieldError(copy.error, "name")}
          onChange={(event) => form.setName(event.currentTarget.value)}
        />
      </DialogForm>
    </Modal>
  );
}

/** Destination and name of the copy, and the call that makes it and opens it. */
function useCopy(skill: Skill, semver: string, onClose: () => void) {
  const ref = refOf({ org: skill.tenantSlug, slug: skill.slug });
  const client = useQueryClient();
  const navigate = useNavigate();
  const { data: identity } = useQuery(identityQuery);
  const organizations = identity?.memberships ?? [];
  const others = organizations.filter(({ slug }) => slug !== skill.tenantSlug);
  const [org, setOrg] = useState((others[0] ?? organizations[0])?.slug ?? "");
  const [folder, setFolder] = useState<string | null>(null);
  const [name, setName] = useState(skill.name);
  const { data: organization } = useQuery({ ...organizationQuery(org), enabled: org !== "" });
  const { data: folders = [] } = useQuery({ ...foldersQuery(org), enabled: org !== "" });
  const copy = useMutation({
    mutationFn: () =>
      copySkill(ref, {
        tenantId: org,
        version: semver,
        name: name.trim(),
        folder: folder === null ? undefined : folder,
      }),
    onSuccess: async (made) => {
      onClose();
      await client.invalidateQueries();
      await navigate({ href: `/${made.skill.tenantSlug}/${made.skill.slug}` });
    },
  });
  const isRefused = organization !== undefined && !may(organization.permissions, "skill", "create");
  return {
    copy,
    organizations,
    org,
    setOrg: (slug: string) => {
      setOrg(slug);
      setFolder(null);
    },
    folder,
    setFolder,
    folders: folders.filter(({ managed }) => !managed).map(({ path }) => path),
    name,
    setName,
    reason: isRefused ? `Publishing in ${org} requires the permission to create skills.` : "",
    isReady: org !== "" && name.trim() !== "",
  };
}
