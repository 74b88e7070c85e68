/** Commands of an operator, as the process entry reads them. */

export const usage = `Usage: npm start -- [--role all|api|worker] [--demo]
       npm start -- export FILE     write the database to a file
       npm start -- import FILE     read such a file into an empty database
       npm start -- backup LOCATION [--keep N]
                                    back up database, repositories and keys into a folder or bucket;
                                    keeps the latest 7
       npm start -- restore LOCATION [--point NAME]
                                    restore the latest of these backups, or this one
       npm start -- backups LOCATION
                                    list the backups in a folder or bucket
       npm start -- verify [--repair]
                                    check every version's commit and content
       npm start -- migrate         bring the database into the form of this release
       npm start -- transfer --to STORE | --from STORE
                                    copy all repositories to another store, or from it
       npm start -- confirm-restore REASON
                                    let the service erase again after a restore
       npm start -- config          print the configuration in effect, without secrets
       npm start -- doctor          check the engines, disks, outbound requests, keys and backups
       npm start -- forget-key ID   start without a key of SECRET_KEYS that is lost
       npm start -- reset-mfa EMAIL REASON
                                    remove all second factors of an account`;

/** Numbers of arguments of the commands. */
export const commandArguments = new Map([
  ["export", 1],
  ["import", 1],
  ["backup", 1],
  ["restore", 1],
  ["backups", 1],
  ["migrate", 0],
  ["verify", 0],
  ["transfer", 0],
  ["confirm-restore", 1],
  ["config", 0],
  ["doctor", 0],
  ["forget-key", 1],
  ["reset-mfa", 2],
]);
