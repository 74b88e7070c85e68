/** Words of English that every text has, and those with which people ask for a skill. They count for nothing. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about after all also am an and any are as at be because been before being between both but by can cant could did do
does doing dont each either else for from further get getting had has have having he her here him his how i id if ill im
in into is isnt it its itself ive just let lets like make makes making may me might more most much must my need needs
needed no nor not of off on once one only or other our out over own please same she should so some someone something
such than that the their them then there these they thing things this those through to too under until up us use used
uses useful user using very via want wants was way we well were what whats when where whether which while who whom why
will with within without would yet you your yours
best good help helps helping kind sort able trying try
already always anybody anyone anything ask away back became become bit come comes course easily enough ever everybody
everyone everything give gives given go goes going gone got happen happens happened keep keeps kept know knows lot lots
look looks many maybe never nobody none often people perhaps pretty put puts quite rather really right say says see seen
seem seems show shows someone something sometimes soon still take takes taken tell tells think together whole yes`
    .split(/\s+/)
    .filter(Boolean),
);
