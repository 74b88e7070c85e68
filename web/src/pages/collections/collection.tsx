import "./collections.css";
import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { may } from "../../api/account/session.ts";
import {
  collectionQuery,
  collectionsQuery,
  deleteCollection,
  type CollectionDetail,
} from "../../api/organization/collections.ts";
import { ConfirmDialog } from "../../parts/forms/confirm-dialog.tsx";
import { OrganizationPage } from "../../parts/page/organization-page.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";
import { Details } from "./details.tsx";
import { Readers } from "./readers.tsx";
import { Skills } from "./skills.tsx";

export const Route = createFileRoute("/$org/-/collections/$collection")({ component: CollectionPage });

function CollectionPage() {
  const { org, collection: ref } = Route.useParams();
  const collection = useQuery(collectionQuery(org, ref));
  const { data } = collection;
  return (
    <OrganizationPage
      org={org}
      title={data ? visibleText(data.name) : "Collection"}
      crumbs={[{ label: "Collections", link: { to: "/$org/-/collections", params: { org } } }]}
      permission={["skill", "read"]}
      subject={collection}
    >
      {({ slug, permissions }) =>
        data && (
          <CollectionView
            org={slug}
            collection={data}
            mayRequire={may(permissions, "organization", "update")}
          />
        )
      }
    </OrganizationPage>
  );
}

interface ViewProps {
  org: string;
  collection: CollectionDetail;
  mayRequire: boolean;
}

function CollectionView({ org, collection, mayRequire }: ViewProps) {
  const { canUpdate, name, description } = collection;
  const [isDeleting, setDeleting] = useState(false);
  return (
    <div className="page stack gap-6">
      <div className="stack">
        <div className="page-head">
          <div className="row wrap">
            <h1>{visibleText(name)}</h1>
            <Readers org={org} collection={collection} />
          </div>
          {canUpdate && (
            <Button variant="default" onClick={() => setDeleting(true)}>
              Delete
            </Button>
          )}
        </div>
        {!canUpdate && description !== "" && <p className="sub">{visibleText(description)}</p>}
      </div>
      {canUpdate && (
        <Details key={collection.slug} org={org} collection={collection} mayRequire={mayRequire} />
      )}
      <Skills org={org} collection={collection} />
      {isDeleting && <DeleteDialog org={org} collection={collection} onClose={() => setDeleting(false)} />}
    </div>
  );
}

interface DeleteProps {
  org: string;
  collection: CollectionDetail;
  onClose: () => void;
}

function DeleteDialog({ org, collection: { slug, name, public: isPublic }, onClose }: DeleteProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title={`Delete ${visibleText(name)}`}
      action="Delete collection"
      isDangerous
      run={async () => {
        await deleteCollection(org, slug);
        await client.invalidateQueries({ queryKey: collectionsQuery(org).queryKey });
        await navigate({ to: "/$org/-/collections", params: { org } });
      }}
      onClose={onClose}
    >
      <p>
        The skills in it stay where they are.
        {isPublic && " The collection disappears from the organization's public page."} This can&apos;t be
        undone.
      </p>
    </ConfirmDialog>
  );
}
