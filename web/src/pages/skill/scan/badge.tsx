import { Modal } from "@mantine/core";
import { ShieldAlert } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { Version } from "../../../api/skills/skills.ts";
import { useSkillAddress } from "../context.ts";

const ScanReport = lazy(async () => ({ default: (await import("./report.tsx")).ScanReport }));

/** The verdict of a version's scan; it opens what was found. */
export function ScanBadge({ version: { semver, verdict } }: { version: Version }) {
  const { org, slug } = useSkillAddress();
  const [isOpen, setOpen] = useState(false);
  if (!verdict) return null;
  const tone = verdict === "malicious" ? "danger" : "warn";
  return (
    <>
      <button type="button" className={`badge badge-button ${tone}`} onClick={() => setOpen(true)}>
        <ShieldAlert size={12} aria-hidden="true" /> {verdict}
      </button>
      {isOpen && (
        <Modal opened onClose={() => setOpen(false)} title={`Scan of ${semver}`} size="lg">
          <Suspense>
            <ScanReport {...{ org, slug, semver }} />
          </Suspense>
        </Modal>
      )}
    </>
  );
}
