# fish completion for merel. Installed as share/fish/vendor_completions.d/merel.fish.

set -l games pinuid-classic pinuid-quatro pinuid-quatro3 pylos-children pylos-standard pylos-expert morris
set -l asking status watch new takeback choose resign draw abort help-lights games show export import delete sensors selftest calibrate record support-bundle sim virtual-pico
set -l rules perft steps apply position check replay demo
set -l sims lift put button tray fault arrange play

function __merel_ids
    merel games --limit 50 --json 2>/dev/null | string match -ar '"id":"([^"]*)"' -g
end

complete -c merel -f
complete -c merel -l help -d 'Help with an example'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a status -d 'How the game stands and what to do now'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a watch -d 'Watch the live board and its lights'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a new -d 'Begin a new game'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a takeback -d 'Take the last turn back'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a choose -d 'Say which steps this player has made'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a resign -d 'Give a game up'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a draw -d 'Offer a draw, or agree to one'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a abort -d 'Stop the game without a result'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a help-lights -d 'Switch the lights that show possible moves'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a games -d 'List the archive'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a show -d 'Show a game of the archive'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a export -d 'Write a game of the archive'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a import -d 'Add exported games'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a delete -d 'Delete games for good'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a sensors -d 'What every sensor reads'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a selftest -d 'Try every sensor'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a calibrate -d 'Teach a board with a Pico its cells and pieces'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a record -d 'Record what the sensors say'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a support-bundle -d 'Gather one file for a report'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a sim -d 'The hands of the virtual board'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a virtual-pico -d 'Stand in for a board with a Pico'
complete -c merel -n "not __fish_seen_subcommand_from $asking $rules" -a "$rules" -d 'Rules and traces'

complete -c merel -n "__fish_seen_subcommand_from $asking" -l socket -r -F -d 'The socket of the daemon'
complete -c merel -n "__fish_seen_subcommand_from $asking" -l json -d 'Print what the daemon answers'
complete -c merel -n "__fish_seen_subcommand_from watch" -l lines -d 'One sentence a line'
complete -c merel -n "__fish_seen_subcommand_from new perft steps apply position" -a "$games"
complete -c merel -n "__fish_seen_subcommand_from new perft steps apply position" -l option -x -d 'A rule option, KEY=VALUE'
complete -c merel -n "__fish_seen_subcommand_from new perft steps apply" -l position -x -d 'A position'
complete -c merel -n "__fish_seen_subcommand_from new" -l player -x -d 'A name, in seating order'
complete -c merel -n "__fish_seen_subcommand_from new" -l clock -x -d 'MINUTES+SECONDS'
complete -c merel -n "__fish_seen_subcommand_from new" -l no-clock -d 'No clock'
complete -c merel -n "__fish_seen_subcommand_from resign draw" -a 'W B R G Y'
complete -c merel -n "__fish_seen_subcommand_from help-lights record" -a 'on off'
complete -c merel -n "__fish_seen_subcommand_from games" -l limit -x -d 'How many at most'
complete -c merel -n "__fish_seen_subcommand_from games" -l before -x -a '(__merel_ids)' -d 'Only games before that one'
complete -c merel -n "__fish_seen_subcommand_from show export; and not __fish_seen_subcommand_from sim" -a 'latest running (__merel_ids)'
complete -c merel -n "__fish_seen_subcommand_from export" -l format -x -a 'json text trace'
complete -c merel -n "__fish_seen_subcommand_from export support-bundle" -s o -l output -r -F -d 'The file to write'
complete -c merel -n "__fish_seen_subcommand_from support-bundle" -l config -x -a '(__fish_complete_directories)' -d 'Folder of the configuration'
complete -c merel -n "__fish_seen_subcommand_from delete" -a '(__merel_ids)'
complete -c merel -n "__fish_seen_subcommand_from delete" -l yes -d 'Do not ask'
complete -c merel -n "__fish_seen_subcommand_from calibrate" -l kinds -x -a 'strong weak sphere' -d 'Magnets of your pieces'
complete -c merel -n "__fish_seen_subcommand_from calibrate" -l cells -x -d 'Where the pieces are to stand'
complete -c merel -n "__fish_seen_subcommand_from selftest" -l once -d 'Print what is known'
complete -c merel -n "__fish_seen_subcommand_from import check replay demo" -F
complete -c merel -n "__fish_seen_subcommand_from replay" -l scenes -d 'Tell what the lights show'
complete -c merel -n "__fish_seen_subcommand_from demo" -l fast -d 'Do not wait'
complete -c merel -n "__fish_seen_subcommand_from demo play" -l speed -x -d 'Times faster'

complete -c merel -n "__fish_seen_subcommand_from sim; and not __fish_seen_subcommand_from $sims show" -a "$sims show"
complete -c merel -n "__fish_seen_subcommand_from sim; and __fish_seen_subcommand_from put button tray" -a 'W B R G Y'
complete -c merel -n "__fish_seen_subcommand_from sim; and __fish_seen_subcommand_from button" -l hold -x -d 'How long, in seconds'
complete -c merel -n "__fish_seen_subcommand_from sim; and __fish_seen_subcommand_from fault" -a 'stuck flapping dropped unplugged none'
complete -c merel -n "__fish_seen_subcommand_from sim; and __fish_seen_subcommand_from arrange" -a 'record empty'
complete -c merel -n "__fish_seen_subcommand_from sim; and __fish_seen_subcommand_from play" -F
complete -c merel -n "__fish_seen_subcommand_from virtual-pico" -l seed -x -d 'Other sensors and magnets'
complete -c merel -n "__fish_seen_subcommand_from virtual-pico" -l ideal -d 'Without spread and noise'
complete -c merel -n "__fish_seen_subcommand_from virtual-pico" -F
