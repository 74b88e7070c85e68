import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { useState } from "react";
import { revokeSigningKey, rotateSigningKey, signingKeysQuery, type SigningKey } from "../../api/admin.ts";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { Time } from "../../parts/text/time.tsx";
import { AdminPage } from "./admin-page.tsx";
import { AdminProblem } from "./admin-problem.tsx";
import { ReasonDialog } from "./reason-dialog.tsx";

export const Route = createFileRoute("/admin/signing-keys")({ component: SigningKeysPage });

/** `rotate`, or the key to revoke. */
type Asked = "rotate" | SigningKey;

function SigningKeysPage() {
  const found = useQuery(signingKeysQuery);
  const [asked, setAsked] = useState<Asked>();
  const isRotating = found.data?.some(({ state }) => state === "pending");
  return (
    <AdminPage
      title="Signing keys"
      about="They sign statements about the origin of versions, which clients verify."
      actions={
        <Button size="sm" disabled={!found.data || isRotating} onClick={() => setAsked("rotate")}>
          Rotate …
        </Button>
      }
    >
      <Loaded found={found} rows={2} Failure={AdminProblem}>
        {(keys) =>
          keys.length === 0 ? (
            <p className="meta">The first key is made when the first version is published.</p>
          ) : (
            <DataTable
              caption="Signing keys"
              columns={columnsOf(setAsked)}
              rows={keys}
              keyOf={({ id }) => id}
            />
          )
        }
      </Loaded>
      {asked && <KeyDialog asked={asked} onClose={() => setAsked(undefined)} />}
    </AdminPage>
  );
}

function KeyDialog({ asked, onClose }: { asked: Asked; onClose: () => void }) {
  const client = useQueryClient();
  const isRotation = asked === "rotate";
  return (
    <ReasonDialog
      title={isRotation ? "Rotate the signing key" : `Revoke ${shortId(asked)}`}
      action={isRotation ? "Rotate" : "Revoke"}
      isDangerous={!isRotation}
      run={async (reason) => {
        const keys = await (isRotation ? rotateSigningKey(reason) : revokeSigningKey(asked.id, reason));
        client.setQueryData(signingKeysQuery.queryKey, keys);
      }}
      onClose={onClose}
    >
      <p>
        {isRotation
          ? "A new key is published now, and signs in ten minutes. Statements of the current key stay valid."
          : "Every statement that this key has signed becomes invalid. Another key signs these versions again within " +
            "an hour; until then, checks of their origin fail."}
      </p>
    </ReasonDialog>
  );
}

const shortId = ({ id }: SigningKey) => id.slice(0, 12);

const tones: Record<SigningKey["state"], string> = {
  active: "ok",
  pending: "violet",
  retired: "",
  revoked: "danger",
};

const columnsOf = (ask: (key: SigningKey) => void): Column<SigningKey>[] => [
  { header: "Key", isRowHeader: true, className: "mono", cell: (key) => shortId(key) },
  { header: "State", cell: ({ state }) => <span className={`badge ${tones[state]}`}>{state}</span> },
  {
    header: "Signs from",
    className: "nowrap",
    isHiddenOnPhones: true,
    cell: ({ notBefore }) => <Time value={notBefore} />,
  },
  {
    header: "Until",
    className: "nowrap",
    isHiddenOnPhones: true,
    cell: ({ notAfter, revokedAt }) => {
      const end = revokedAt ?? notAfter;
      return end === null ? "–" : <Time value={end} />;
    },
  },
  {
    header: "Actions",
    cell: (key) =>
      key.state === "revoked" ? null : (
        <Button
          size="xs"
          variant="outline"
          color="danger"
          aria-label={`Revoke ${shortId(key)}`}
          onClick={() => ask(key)}
        >
          Revoke …
        </Button>
      ),
  },
];
