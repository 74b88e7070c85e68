import { useQuery } from "@tanstack/react-query";
import { MailWarning } from "lucide-react";
import { serviceQuery } from "../../../api/home.ts";

/** The remark that no mail is sent, on a service without a mail server. */
export function MailNote() {
  const { data: service } = useQuery(serviceQuery);
  if (service?.mail !== false) return null;
  return (
    <div className="note warn">
      <MailWarning className="icon" />
      <span>
        This service has no mail server: mails are stored as files on the server and reach no one. Send each
        person their link yourself.
      </span>
    </div>
  );
}
