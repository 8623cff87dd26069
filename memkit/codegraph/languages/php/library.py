"""PHP: words of the language and its extensions."""

from __future__ import annotations

from ...dialect import LibraryRule, LibraryRules, by_word, words

LIBRARY = LibraryRules(
    results=by_word(
        {
            LibraryRule.CONTAINER: "array_values array_filter array_reverse array_slice "
            "array_unique array_merge iterator_to_array",
            LibraryRule.ELEMENT: "current end reset array_pop array_shift",
            LibraryRule.MAPPED: "array_map",
            LibraryRule.PLAIN: "count strlen implode sprintf trim substr str_replace strtolower "
            "strtoupper json_encode array_keys explode",
        }
    ),
    element_methods=frozenset(),
    value_methods=frozenset(),
    same_methods=frozenset(),
    mutating_methods=frozenset(),
    adding_methods=frozenset(),
    extending_methods=frozenset(),
    iteration=(("getIterator", "current"),),
    memberless_bases=words(
        "Traversable Iterator IteratorAggregate ArrayAccess Countable JsonSerializable Stringable "
        "Serializable UnitEnum BackedEnum"
    ),
)
# Functions of the language: most of those that code calls.
BUILTIN_FUNCTIONS = words("""
    abs addcslashes addslashes array_all array_any array_chunk array_column array_combine
    array_diff array_diff_key array_fill array_fill_keys array_filter array_find array_flip
    array_intersect array_intersect_key array_is_list array_key_exists array_key_first
    array_key_last array_keys array_map array_merge array_merge_recursive array_pad array_pop
    array_push array_reduce array_replace array_replace_recursive array_reverse array_search
    array_shift array_slice array_splice array_sum array_unique array_unshift array_values
    array_walk array_walk_recursive arsort asort assert base64_decode base64_encode base_convert
    basename bin2hex call_user_func call_user_func_array ceil chdir chmod chr class_alias
    class_exists class_implements class_parents clearstatcache constant copy count curl_getinfo
    curl_init curl_multi_setopt curl_setopt curl_share_setopt curl_version current date
    date_default_timezone_get debug_backtrace defined dirname disk_free_space end enum_exists
    error_get_last error_log error_reporting escapeshellarg exec explode extension_loaded
    extract fclose feof fgets file file_exists file_get_contents file_put_contents filemtime
    fileperms filesize filter_var flock floor flush fopen fread func_get_args func_num_args
    function_exists fwrite gc_collect_cycles get_called_class get_class get_debug_type
    get_object_vars get_parent_class get_resource_type getcwd gethostname getmypid gettype glob
    hash hash_equals hash_file hash_hmac header headers_sent hexdec hrtime html_entity_decode
    htmlentities htmlspecialchars http_build_query implode in_array ini_get ini_set intdiv
    interface_exists intval is_a is_array is_bool is_callable is_countable is_dir is_file
    is_finite is_float is_int is_iterable is_link is_nan is_null is_numeric is_object
    is_readable is_resource is_scalar is_string is_subclass_of is_writable iterator_to_array
    json_decode json_encode json_last_error json_last_error_msg key krsort ksort lcfirst ltrim
    max mb_check_encoding mb_convert_encoding mb_str_pad mb_strimwidth mb_strlen mb_strpos
    mb_strtolower mb_strtoupper mb_strwidth mb_substr md5 memory_get_usage method_exists
    microtime min mkdir mt_rand number_format ob_end_clean ob_flush ob_get_clean ob_get_level
    ob_start octdec ord pack parse_str parse_url pathinfo pcntl_async_signals pcntl_signal
    php_uname phpversion posix_getpwuid preg_grep preg_last_error preg_last_error_msg preg_match
    preg_match_all preg_quote preg_replace preg_replace_callback preg_split print_r
    property_exists putenv random_bytes random_int range rawurldecode rawurlencode realpath
    register_shutdown_function rename reset restore_error_handler rewind rmdir round rtrim
    serialize set_error_handler sha1 sleep sort spl_autoload_register spl_object_hash
    spl_object_id sprintf sscanf str_contains str_ends_with str_ireplace str_pad str_repeat
    str_replace str_split str_starts_with strcasecmp strcmp stream_context_create
    stream_get_contents stream_get_meta_data stream_set_chunk_size strip_tags stripos strlen
    strnatcasecmp strpbrk strpos strrpos strstr strtok strtolower strtotime strtoupper strtr
    substr substr_count substr_replace sys_get_temp_dir tempnam time tmpfile token_get_all touch
    trigger_error trim uasort ucfirst ucwords uksort umask unlink unpack unserialize urlencode
    usleep usort var_export version_compare vsprintf wordwrap
""")
# Methods of the language's own classes, and of interfaces that about every library has.
BUILTIN_METHODS = words("""
    getMessage getCode getPrevious getFile getLine getTrace getTraceAsString current key next
    rewind valid getIterator offsetGet offsetSet offsetExists offsetUnset count jsonSerialize
    format modify diff setTimezone getTimestamp add sub bindTo call fromCallable send throw
    getReturn attach detach contains push pop shift unshift top isEmpty insert extract toArray
    getArrayCopy append exec query prepare execute fetch fetchAll fetchColumn bindValue
    bindParam beginTransaction commit rollBack lastInsertId quote getName getShortName
    getMethods getMethod getProperties getProperty getParameters getAttributes newInstance
    newInstanceArgs invoke invokeArgs getValue setValue setAccessible hasMethod
    implementsInterface isInstance getParentClass getDocComment getType allowsNull isBuiltin
    createElement appendChild getAttribute setAttribute getElementsByTagName loadXML saveXML
    loadHTML saveHTML xpath children attributes asXML get set has delete clear close open read
    write eof seek tell getContents isFile isDir getPathname getRealPath getExtension getSize
""")
# Classes of the language and its extensions: those that code names without declaring them.
BUILTIN_CLASSES = words("""
    stdClass Closure Generator WeakMap WeakReference Fiber Stringable Traversable Iterator
    IteratorAggregate ArrayAccess Countable Serializable JsonSerializable UnitEnum BackedEnum
    Attribute Override SensitiveParameter ReturnTypeWillChange AllowDynamicProperties Throwable
    Exception ErrorException Error TypeError ValueError ArithmeticError DivisionByZeroError
    ArgumentCountError AssertionError UnhandledMatchError JsonException LogicException
    BadFunctionCallException BadMethodCallException DomainException InvalidArgumentException
    LengthException OutOfRangeException RuntimeException OutOfBoundsException OverflowException
    RangeException UnderflowException UnexpectedValueException ArrayObject ArrayIterator
    RecursiveArrayIterator AppendIterator CachingIterator CallbackFilterIterator DirectoryIterator
    EmptyIterator FilesystemIterator FilterIterator GlobIterator InfiniteIterator IteratorIterator
    LimitIterator MultipleIterator NoRewindIterator OuterIterator ParentIterator
    RecursiveCallbackFilterIterator RecursiveDirectoryIterator RecursiveFilterIterator
    RecursiveIterator RecursiveIteratorIterator RecursiveRegexIterator RegexIterator
    SeekableIterator SplDoublyLinkedList SplFileInfo SplFileObject SplFixedArray SplHeap
    SplMaxHeap SplMinHeap SplObjectStorage SplObserver SplPriorityQueue SplQueue SplStack
    SplSubject SplTempFileObject DateTime DateTimeImmutable DateTimeInterface DateTimeZone
    DateInterval DatePeriod Reflection ReflectionClass ReflectionEnum ReflectionException
    ReflectionFunction ReflectionFunctionAbstract ReflectionMethod ReflectionNamedType
    ReflectionObject ReflectionParameter ReflectionProperty ReflectionType ReflectionUnionType
    PDO PDOException PDOStatement SimpleXMLElement SimpleXMLIterator DOMDocument DOMElement DOMNode
    DOMXPath XMLReader XMLWriter SoapClient ZipArchive CurlHandle CurlMultiHandle CurlShareHandle
    GdImage IntlDateFormatter NumberFormatter MessageFormatter Locale Normalizer Collator
    Transliterator finfo mysqli SessionHandlerInterface Redis Memcached Imagick php_user_filter
""")
