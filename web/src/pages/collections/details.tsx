import { Button, Switch } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  changeCollection,
  noteCollection,
  type CollectionDetail,
} from "../../api/organization/collections.ts";
import { Form } from "../../parts/forms/form.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { RequiredFor } from "./required-for.tsx";
import { TextFields } from "./text-fields.tsx";

const fields = ["name", "description", "public", "requiredFor"] as const;
type Draft = Pick<CollectionDetail, (typeof fields)[number]>;

interface Props {
  org: string;
  collection: CollectionDetail;
  /** Whether the user may say who has to install the skills. */
  mayRequire: boolean;
}

/** Name and description, whether anyone sees the collection, and who has to install its skills. */
export function Details({ org, collection, mayRequire }: Props) {
  const client = useQueryClient();
  const [edited, setEdited] = useState<Partial<Draft>>({});
  const draft: Draft = { ...collection, ...edited };
  const change = (part: Partial<Draft>) => setEdited((old) => ({ ...old, ...part }));
  const changed = {
    name: draft.name.trim() === collection.name ? undefined : draft.name.trim(),
    description: draft.description.trim() === collection.description ? undefined : draft.description.trim(),
    public: draft.public === collection.public ? undefined : draft.public,
    requiredFor: isSameSet(draft.requiredFor, collection.requiredFor) ? undefined : draft.requiredFor,
  };
  const isChanged = Object.values(changed).some((value) => value !== undefined);
  const saving = useMutation({
    mutationFn: () => changeCollection(org, collection.slug, changed),
    onSuccess: async (saved) => {
      await noteCollection(client, org, saved);
      setEdited({});
    },
  });
  return (
    <section className="collection-form">
      <Form label="Name and description" error={saving.error} onSubmit={() => saving.mutate()}>
        <TextFields draft={draft} error={saving.error} onChange={change} />
        {collection.folderId === null && (
          <Switch
            label="Show on the organization's public page"
            description="Anyone sees its name, its description and the public skills in it."
            checked={draft.public}
            onChange={(event) => change({ public: event.currentTarget.checked })}
          />
        )}
        {mayRequire && (
          <RequiredFor
            org={org}
            value={draft.requiredFor}
            onChange={(requiredFor) => change({ requiredFor })}
          />
        )}
        <Problem error={saving.error} fields={fields} />
        <div className="row">
          <Button type="submit" loading={saving.isPending} disabled={!isChanged || draft.name.trim() === ""}>
            Save
          </Button>
          <span className="meta" role="status">
            {saving.isSuccess && !isChanged && "Saved"}
          </span>
        </div>
      </Form>
    </section>
  );
}

const isSameSet = (one: readonly string[], other: readonly string[]) =>
  one.toSorted().join() === other.toSorted().join();
