import { Button, NumberInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { bytesText } from "../../../../contract/text/size-text.ts";
import { organizationsQuery, setStorageLimit, type AdminOrganization } from "../../api/admin.ts";
import { Time } from "../../parts/text/time.tsx";
import { ReasonDialog } from "./reason-dialog.tsx";

const megabyte = 1024 * 1024;

/** The storage of an organization, with the change of its limit. */
export function StorageCell({ organization }: { organization: AdminOrganization }) {
  const [isOpen, setOpen] = useState(false);
  const { bytes, countedAt, limitBytes } = organization.storage;
  const isNear = bytes !== null && limitBytes !== null && bytes >= 0.8 * limitBytes;
  return (
    <>
      <span className={isNear ? "danger" : undefined}>
        {bytes === null ? "not counted" : bytesText(bytes)}
        {limitBytes !== null && ` of ${bytesText(limitBytes)}`}
      </span>
      {countedAt !== null && (
        <span className="meta block">
          counted <Time value={countedAt} />
        </span>
      )}
      <Button
        variant="default"
        size="compact-xs"
        aria-label={`Limit the storage of ${organization.slug}`}
        onClick={() => setOpen(true)}
      >
        Limit
      </Button>
      {isOpen && <LimitDialog organization={organization} onClose={() => setOpen(false)} />}
    </>
  );
}

function LimitDialog({ organization, onClose }: { organization: AdminOrganization; onClose: () => void }) {
  const client = useQueryClient();
  const { limitBytes, hasOwnLimit } = organization.storage;
  const [megabytes, setMegabytes] = useState<number | null>(
    hasOwnLimit && limitBytes !== null ? Math.round(limitBytes / megabyte) : null,
  );
  return (
    <ReasonDialog
      title={`Storage limit of ${organization.slug}`}
      action="Save"
      run={async (reason) => {
        await setStorageLimit(organization.id, megabytes === null ? null : megabytes * megabyte, reason);
        await client.invalidateQueries({ queryKey: organizationsQuery(undefined).queryKey.slice(0, 1) });
      }}
      onClose={onClose}
    >
      <p>
        From the limit on, new skills and versions are refused. Reading and deleting always work. Without a
        limit here, that of the service applies.
      </p>
      <NumberInput
        label="Limit in MB"
        placeholder="Limit of the service"
        min={1}
        allowDecimal={false}
        allowNegative={false}
        thousandSeparator=","
        hideControls
        value={megabytes ?? ""}
        onChange={(value) => setMegabytes(typeof value === "number" ? value : null)}
      />
    </ReasonDialog>
  );
}
