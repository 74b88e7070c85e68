import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { BellRing } from "lucide-react";
import { useState } from "react";
import { countText } from "../../../../../contract/text/count-text.ts";
import type { Schemas } from "../../../api/client.ts";
import { serviceQuery } from "../../../api/home.ts";
import { remind, remindPlanQuery } from "../../../api/skills/skill-settings.ts";
import { ConfirmDialog } from "../../../parts/forms/confirm-dialog.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { useRights, useSkillAddress } from "../context.ts";

type Plan = Schemas["Reminder"];

const peopleText = (count: number) => countText(count, "person", "people");

/** The button that reminds the members who are behind, for those who may. */
export function Remind() {
  const { canUpdate, canReadAnalytics } = useRights();
  const [isOpen, setIsOpen] = useState(false);
  if (!canUpdate || !canReadAnalytics) return null;
  return (
    <div>
      <Button
        size="xs"
        variant="default"
        leftSection={<BellRing size={14} />}
        onClick={() => setIsOpen(true)}
      >
        Remind
      </Button>
      {isOpen && <RemindDialog onClose={() => setIsOpen(false)} />}
    </div>
  );
}

function RemindDialog({ onClose }: { onClose: () => void }) {
  const { slug, ref } = useSkillAddress();
  const found = useQuery(remindPlanQuery(ref));
  const people = found.data?.people ?? 0;
  return (
    <ConfirmDialog
      title={`Remind members to update ${slug}`}
      action={people > 0 ? `Remind ${peopleText(people)}` : "Remind"}
      isReady={people > 0}
      run={() => remind(ref)}
      onDone={(done) => {
        notifications.show({ message: `Reminded ${peopleText(done.people)} to update ${slug}.` });
        onClose();
      }}
      onClose={onClose}
    >
      <Loaded found={found} rows={2}>
        {(plan) => <Effect plan={plan} />}
      </Loaded>
    </ConfirmDialog>
  );
}

/** Who is reminded, and how. */
function Effect({ plan: { people, machines, mails, recent, semver, isComplete } }: { plan: Plan }) {
  const { data: service } = useQuery(serviceQuery);
  const withoutMail = people - mails;
  return (
    <>
      <p>
        {people === 0 ? (
          "There is no one to remind."
        ) : (
          <>
            <b>
              {peopleText(people)} on {countText(machines, "machine")}
            </b>{" "}
            {people === 1 ? "has" : "have"} a version other than {semver}.
          </>
        )}
      </p>
      {mails > 0 && (
        <p>
          {service?.mail === false
            ? "This service has no mail server: mails are stored as files on the server and reach no one. "
            : `${peopleText(mails)} ${mails === 1 ? "gets" : "get"} a mail, within minutes or once a day, as they chose in their settings. `}
          The mail has the installed version, the current one, and the command to update.
        </p>
      )}
      {withoutMail > 0 && (
        <p>
          {peopleText(withoutMail)} {withoutMail === 1 ? "has" : "have"} no confirmed address or unsubscribed,
          and {withoutMail === 1 ? "sees" : "see"} the reminder on the home page only.
        </p>
      )}
      {recent > 0 && (
        <p className="meta">
          {peopleText(recent)} {recent === 1 ? "was" : "were"} reminded in the last 7 days, and{" "}
          {recent === 1 ? "is" : "are"} left out.
        </p>
      )}
      {!isComplete && (
        <p className="meta">At most 1,000 people are reminded at a time. Repeat this for the others.</p>
      )}
    </>
  );
}
