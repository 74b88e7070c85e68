import { Modal } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { describeOrigin, type Statement } from "../../../../../contract/provenance/statement.ts";
import { originQuery } from "../../../api/skills/versions.ts";
import { Command } from "../../../parts/copy/command.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { Time } from "../../../parts/text/time.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { useSkillAddress } from "../context.ts";

/** Where a version comes from, as the service has signed it. */
export function OriginDialog({ semver, onClose }: { semver: string; onClose: () => void }) {
  const { ref } = useSkillAddress();
  const found = useQuery(originQuery(ref, semver));
  return (
    <Modal opened onClose={onClose} title={`Origin of ${semver}`}>
      <Loaded found={found} rows={2}>
        {({ attestations: [attestation] }) =>
          attestation ? (
            <Origin payload={attestation.bundle.dsseEnvelope.payload} address={addressOf(ref, semver)} />
          ) : (
            <p>
              This version has no signed statement about its origin yet. The service adds it within an hour.
            </p>
          )
        }
      </Loaded>
    </Modal>
  );
}

function Origin({ payload, address }: { payload: string; address: string }) {
  const statement = readStatement(payload);
  if (!statement) return <p>The statement about the origin of this version can’t be read.</p>;
  const { buildDefinition, runDetails, signedAt } = statement.predicate;
  const at = runDetails?.metadata.finishedOn ?? signedAt;
  const run = runDetails?.metadata.invocationId;
  return (
    <div className="stack gap-3">
      <p>{visibleText(describeOrigin(statement))}.</p>
      {buildDefinition && (
        <p className="meta">
          The service has verified the pipeline’s identity token, issued by{" "}
          {visibleText(buildDefinition.internalParameters.issuer)}.{" "}
          {run !== undefined && /^https?:\/\//.test(run) && (
            <a href={run} rel="noreferrer nofollow" target="_blank">
              Open the run
            </a>
          )}
        </p>
      )}
      <p className="meta">
        Signed by this service{" "}
        {at !== undefined && (
          <>
            <Time value={at} />{" "}
          </>
        )}
        together with the content and the commit. <a href={address}>Open the signed statement</a>
      </p>
      <Command text="svc verify --provenance" />
    </div>
  );
}

const addressOf = (ref: string, semver: string) =>
  `/api/skills/${encodeURIComponent(ref)}/versions/${encodeURIComponent(semver)}/attestations`;

function readStatement(payload: string): Statement | undefined {
  try {
    const bytes = Uint8Array.from(atob(payload), (char) => char.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes)) as Statement;
  } catch {
    return undefined;
  }
}
