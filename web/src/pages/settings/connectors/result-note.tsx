import { CircleAlert, CircleCheck } from "lucide-react";
import type { Connector } from "../../../api/connectors.ts";
import { visibleText } from "../../../parts/text/visible-text.ts";

interface Props {
  /** The publicId in the address. */
  asked: string | undefined;
  result: string | undefined;
  connector: Connector | undefined;
}

/** The end of an authorization at the provider of a server, or a link to a connector that the user does not have. */
export function ResultNote({ asked, result, connector }: Props) {
  if (asked === undefined && result === undefined) return null;
  if (result === undefined && connector) return null;
  if (connector?.connectionStatus === "connected")
    return (
      <p className="note ok" role="status">
        <CircleCheck className="icon" />
        <span>
          <bdi>{nameOf(connector)}</bdi> is connected.
        </span>
      </p>
    );
  return (
    <p className="note warn" role="status">
      <CircleAlert className="icon" />
      <span>{problemOf(connector, result)}</span>
    </p>
  );
}

const nameOf = ({ server, slug }: Connector) => visibleText(server?.name ?? slug);

function problemOf(connector: Connector | undefined, result: string | undefined): string {
  if (result === "expired")
    return "The authorization was started in another browser or account, or too long ago. Connect again.";
  if (!connector)
    return "Connector not found: it was deleted, or it belongs to another account. Sign in with that account.";
  return `"${nameOf(connector)}" is not connected. ${connector.lastError ?? "Connect again."}`;
}
