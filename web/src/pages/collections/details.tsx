import { Button, Switch } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  changeCollection,
  noteCollection,
  type CollectionDetail,
} from "../../api/organization/collections.ts";
import { Form } from "../../parts/form.tsx";
import { Problem } from "../../parts/problem.tsx";
import { TextFields } from "./text-fields.tsx";

const fields = ["name", "description", "public"] as const;
type Draft = Pick<CollectionDetail, (typeof fields)[number]>;

/** Name and description, and whether anyone sees the collection. */
export function Details({ org, collection }: { org: string; collection: CollectionDetail }) {
  const client = useQueryClient();
  const [edited, setEdited] = useState<Partial<Draft>>({});
  const draft: Draft = { ...collection, ...edited };
  const change = (part: Partial<Draft>) => setEdited((old) => ({ ...old, ...part }));
  const changed = {
    name: draft.name.trim() === collection.name ? undefined : draft.name.trim(),
    description: draft.description.trim() === collection.description ? undefined : draft.description.trim(),
    public: draft.public === collection.public ? undefined : draft.public,
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
