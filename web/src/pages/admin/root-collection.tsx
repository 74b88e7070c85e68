import { Button, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { changeSettings, serviceSettingsQuery } from "../../api/admin.ts";
import { ReasonDialog } from "./reason-dialog.tsx";

/** The collection whose skills other clients find at the root of the service. */
export function RootCollection({ value }: { value: string | null }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="stack gap-3" aria-labelledby="root-heading">
      <h2 id="root-heading">Skills at the root</h2>
      <p className="meta">
        Clients such as npx skills look for skills at the address of the service itself, and download all of
        them before they offer a choice. They find those of one public collection, or none.
      </p>
      <p>{value === null ? "No public collection is chosen." : <CollectionLink value={value} />}</p>
      <Button variant="default" w="fit-content" onClick={() => setOpen(true)}>
        {value === null ? "Choose a collection" : "Change the collection"}
      </Button>
      {isOpen && <CollectionDialog value={value} onClose={() => setOpen(false)} />}
    </section>
  );
}

function CollectionLink({ value }: { value: string }) {
  const [org = "", collection] = value.split("/");
  return (
    <Link to="/$org" params={{ org }} search={{ collection }} className="mono">
      {value}
    </Link>
  );
}

function CollectionDialog({ value, onClose }: { value: string | null; onClose: () => void }) {
  const client = useQueryClient();
  const [collection, setCollection] = useState(value ?? "");
  return (
    <ReasonDialog
      title="Skills at the root"
      action="Save"
      run={async (reason) => {
        const chosen = collection.trim();
        const saved = await changeSettings({ rootCollection: chosen === "" ? null : chosen }, reason);
        client.setQueryData(serviceSettingsQuery.queryKey, saved);
      }}
      onClose={onClose}
    >
      <TextInput
        label="Public collection"
        description="As organization/collection. Without one, clients find no skills at the root."
        placeholder="acme/essentials"
        maxLength={120}
        autoComplete="off"
        spellCheck={false}
        value={collection}
        onChange={(event) => setCollection(event.currentTarget.value)}
      />
    </ReasonDialog>
  );
}
