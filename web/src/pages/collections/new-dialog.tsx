import { Modal, Select, Switch } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { may } from "../../api/account/session.ts";
import type { Folder } from "../../api/folders.ts";
import { createCollection, noteCollection } from "../../api/organization/collections.ts";
import { DialogForm } from "../../parts/forms/dialog-form.tsx";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { TextFields } from "./text-fields.tsx";

interface Props {
  organization: Organization;
  /** Folders that may have it. */
  folders: readonly Folder[];
  onClose: () => void;
}

const ofOrganization = "";

export function NewCollectionDialog({ organization, folders, onClose }: Props) {
  const { slug: org, permissions, name: orgName } = organization;
  const client = useQueryClient();
  const navigate = useNavigate();
  const mayHaveOwn = may(permissions, "organization", "update");
  const [draft, setDraft] = useState({
    name: "",
    description: "",
    place: mayHaveOwn ? ofOrganization : (folders[0]?.id ?? ofOrganization),
    public: false,
  });
  const change = (part: Partial<typeof draft>) => setDraft((old) => ({ ...old, ...part }));
  const creating = useMutation({
    mutationFn: () =>
      createCollection(org, {
        name: draft.name.trim(),
        description: draft.description.trim(),
        folderId: draft.place === ofOrganization ? null : draft.place,
        public: draft.public && draft.place === ofOrganization,
      }),
    onSuccess: async (saved) => {
      await noteCollection(client, org, saved);
      await navigate({ to: "/$org/-/collections/$collection", params: { org, collection: saved.slug } });
    },
  });
  const places = [
    ...(mayHaveOwn ? [{ value: ofOrganization, label: `All of ${orgName}` }] : []),
    ...folders.map(({ id, path }) => ({ value: id, label: path })),
  ];
  return (
    <Modal opened onClose={onClose} title="New collection">
      <DialogForm
        label="New collection"
        action="Create collection"
        isReady={draft.name.trim() !== ""}
        isPending={creating.isPending}
        error={creating.error}
        fields={["name", "description"]}
        onSubmit={() => creating.mutate()}
        onClose={onClose}
      >
        <TextFields draft={draft} error={creating.error} isFocused onChange={change} />
        {places.length > 1 && (
          <Select
            label="Readers"
            description="Members who can read this folder see the collection."
            data={places}
            value={draft.place}
            allowDeselect={false}
            searchable
            onChange={(place) => change({ place: place ?? ofOrganization })}
          />
        )}
        {draft.place === ofOrganization && (
          <Switch
            label="Show on the organization's public page"
            description="Anyone sees its name, its description and the public skills in it."
            checked={draft.public}
            onChange={(event) => change({ public: event.currentTarget.checked })}
          />
        )}
      </DialogForm>
    </Modal>
  );
}
