# bash completion for merel. Installed as share/bash-completion/completions/merel.

_merel_ids() {
  merel games --limit 50 --json 2>/dev/null | grep -o '"id":"[^"]*"' | cut -d'"' -f4
}

_merel() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  local games="pinuid-classic pinuid-quatro pinuid-quatro3 pylos-children pylos-standard pylos-expert morris"
  local commands="status watch new takeback choose resign draw abort help-lights
    games show export import delete sensors selftest calibrate record support-bundle sim virtual-pico
    perft steps apply position check replay demo"
  local sims="lift put button tray fault arrange play show"
  local daemon="--socket --json --help"
  local command=${COMP_WORDS[1]} sim=${COMP_WORDS[2]} words="" files=""
  COMPREPLY=()

  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$commands --help" -- "$cur")
    return
  fi
  case $prev in
    --socket | -o | --output) files=yes ;;
    --format) words="json text trace" ;;
    --config)
      mapfile -t COMPREPLY < <(compgen -d -- "$cur")
      return
      ;;
    --option | --position | --player | --clock | --limit | --hold | --speed | --seed) return ;;
    --before) words=$(_merel_ids) ;;
  esac
  if [[ -z $words && -z $files ]]; then
    case $command in
      status | takeback | abort | sensors) words=$daemon ;;
      watch) words="--lines $daemon" ;;
      new) words="$games --option --position --player --clock --no-clock $daemon" ;;
      choose) words=$daemon ;;
      resign | draw) words="W B R G Y $daemon" ;;
      help-lights | record) words="on off $daemon" ;;
      games) words="--limit --before $daemon" ;;
      show) words="latest running $(_merel_ids) $daemon" ;;
      export) words="latest running $(_merel_ids) --format --output $daemon" ;;
      import) words=$daemon files=yes ;;
      delete) words="$(_merel_ids) --yes $daemon" ;;
      selftest) words="--once $daemon" ;;
      calibrate) words="--kinds --cells $daemon" ;;
      support-bundle) words="--output --config $daemon" ;;
      sim)
        if ((COMP_CWORD == 2)); then
          words="$sims --help"
        else
          words=$daemon
          case $sim in
            put) words="W B R G Y $daemon" ;;
            button) words="W B R G Y --hold $daemon" ;;
            tray) words="W B $daemon" ;;
            fault) words="stuck flapping dropped unplugged none $daemon" ;;
            arrange) words="record empty $daemon" ;;
            play) words="--speed $daemon" files=yes ;;
          esac
        fi
        ;;
      virtual-pico) words="--seed --ideal --help" files=yes ;;
      perft | steps | apply) words="$games --option --position --help" ;;
      position) words="$games --option --help" ;;
      check) words="--help" files=yes ;;
      replay) words="--scenes --help" files=yes ;;
      demo) words="--fast --speed --help" files=yes ;;
    esac
  fi
  mapfile -t COMPREPLY < <(
    compgen -W "$words" -- "$cur"
    [[ -n $files ]] && compgen -f -- "$cur"
  )
  [[ -n $files ]] && compopt -o filenames 2>/dev/null
}

complete -F _merel merel
