import "./collections.css";
import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createFileRoute, Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { countText } from "../../../../contract/text/count-text.ts";
import { foldersQuery, may } from "../../api/account/session.ts";
import type { Folder } from "../../api/folders.ts";
import { collectionsQuery, orderCollections, type Collection } from "../../api/organization/collections.ts";
import { publicOrganizationQuery } from "../../api/public-organization.ts";
import { SortableList } from "../../parts/lists/sortable-list.tsx";
import { OrganizationPage, type Organization } from "../../parts/page/organization-page.tsx";
import { Empty } from "../../parts/states/empty.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";
import { NewCollectionDialog } from "./new-dialog.tsx";
import { Readers } from "./readers.tsx";

export const Route = createFileRoute("/$org/-/collections/")({ component: CollectionsPage });

/** Folders in which the user may have collections. */
const placesOf = (folders: readonly Folder[] = []) =>
  folders.filter(({ can, managed }) => can?.includes("update") && !managed);

function CollectionsPage() {
  const { org } = Route.useParams();
  const collections = useQuery(collectionsQuery(org));
  const { data: folders } = useQuery(foldersQuery(org));
  const [isCreating, setCreating] = useState(false);
  const places = placesOf(folders);
  const mayCreate = (organization: Organization) =>
    places.length > 0 || may(organization.permissions, "organization", "update");
  return (
    <OrganizationPage
      org={org}
      title="Collections"
      permission={["skill", "read"]}
      subject={collections}
      renderActions={(organization) =>
        mayCreate(organization) && (
          <Button size="xs" leftSection={<Plus size={14} />} onClick={() => setCreating(true)}>
            New collection
          </Button>
        )
      }
    >
      {(organization) => (
        <div className="page stack gap-4">
          <h1>Collections</h1>
          <p className="sub">
            A collection is a named list of skills in the order you choose. Public ones are shown in this
            order on the organization&apos;s <PublicPage org={org} />.
          </p>
          <Collections organization={organization} collections={collections.data ?? []} />
          {isCreating && (
            <NewCollectionDialog
              organization={organization}
              folders={places}
              onClose={() => setCreating(false)}
            />
          )}
        </div>
      )}
    </OrganizationPage>
  );
}

/** Leads to the page that visitors see, which exists once a skill is public. */
function PublicPage({ org }: { org: string }) {
  const { data } = useQuery({ ...publicOrganizationQuery(org), retry: false });
  if (!data) return "public page";
  return (
    <Link to="/$org" params={{ org }} search={{ preview: true }}>
      public page
    </Link>
  );
}

interface Props {
  organization: Organization;
  collections: Collection[];
}

function Collections({ organization: { slug: org, permissions }, collections }: Props) {
  const client = useQueryClient();
  const { queryKey } = collectionsQuery(org);
  const ordering = useMutation({
    mutationFn: (order: Collection[]) =>
      orderCollections(
        org,
        order.map(({ id }) => id),
      ),
    onMutate: (order) => client.setQueryData(queryKey, order),
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
  if (collections.length === 0)
    return (
      <Empty title="No collections yet">
        <p className="sub">Put the skills that belong together, or that others should see first, into one.</p>
      </Empty>
    );
  return (
    <>
      <Problem error={ordering.error} />
      <SortableList
        label="Collections"
        items={collections}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        onMove={may(permissions, "organization", "update") ? (order) => ordering.mutate(order) : undefined}
      >
        {(collection) => <CollectionRow org={org} collection={collection} />}
      </SortableList>
    </>
  );
}

function CollectionRow({ org, collection }: { org: string; collection: Collection }) {
  const { slug, name, description, skillCount } = collection;
  return (
    <div className="collection-row">
      <Link className="clip" to="/$org/-/collections/$collection" params={{ org, collection: slug }}>
        <b>{visibleText(name)}</b>
      </Link>
      <Readers org={org} collection={collection} />
      <span className="meta grow right nowrap">{countText(skillCount, "skill")}</span>
      {description !== "" && <p className="sub clip">{visibleText(description)}</p>}
    </div>
  );
}
